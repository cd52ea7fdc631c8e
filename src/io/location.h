#pragma once
// "results.mat:pred[3]": which file, which format, which array of it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/format.h"

namespace snapcube::io {

struct Location {
  std::string path;
  std::string variable;               ///< empty: to be chosen
  std::optional<std::int64_t> index;  ///< along the variable's first axis
};

/// Splits at the ':' that follows the extension of a format with several arrays (.mat, .npz, .h5,
/// .hdf5; .npy and .tif too, for pred.npy:[3]), so that other colons stay part of the path.
Location parse_location(const std::string& location);

/// The format of an existing file or folder. Throws InputError for a missing file or an unknown
/// extension.
const Format& format_for_reading(const std::string& path);
/// The format that a path asks for: a folder when it ends in '/', is one, or has no extension.
const Format& format_for_writing(const std::string& path);

}  // namespace snapcube::io
