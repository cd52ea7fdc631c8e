#pragma once
// The formats of this library; each is defined in the file of its name.

#include "io/format.h"

namespace snapcube::io::libraries {

const Format& hdf5_format();
const Format& mat73_format();
const Format& tiff_format();

}  // namespace snapcube::io::libraries
