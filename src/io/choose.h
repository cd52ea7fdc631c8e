#pragma once
// Which array of a file is meant.

#include <string>

#include <snapcube/io.h>

#include "io/convert.h"
#include "io/location.h"

namespace snapcube::io {

/// Name of the array that the location names, or else of the first usual one of fitting shape, or
/// else of the only one that fits. Throws InputError, with a list of what is inside, when that is
/// none or several.
std::string choose_array(const FileInfo& file, const Location& location, Meaning meaning);

}  // namespace snapcube::io
