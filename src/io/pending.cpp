// Formats that are written elsewhere; to be deleted when they are there.

#include <snapcube/error.h>

#include "io/format.h"

namespace snapcube {

const Format& envi_format() { throw Error("ENVI: not there yet"); }
const Format& tiff_format() { throw Error("TIFF: not there yet"); }
const Format& png_format() { throw Error("PNG: not there yet"); }
const Format& png_folder_format() { throw Error("PNG folder: not there yet"); }

}  // namespace snapcube
