#pragma once
// Reading MATLAB v5 files, compressed or not, in either byte order.
//
// matio, which writes v7.3 for us, is not used here: matio 1.5.23 returns arrays
// that are partly filled, and no error, when a file is cut or its compressed data is damaged, and
// it allocates what a damaged header claims. Here every length is checked against the file before
// anything is allocated.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <snapcube/io.h>

#include "io/format.h"

namespace snapcube::io {

/// Whether the bytes begin like a v5 file.
bool is_mat5(std::span<const std::byte> bytes);

/// The variables of a whole file; names, shapes, classes ("uint8", "struct").
std::vector<ArrayInfo> list_mat5(std::span<const std::byte> bytes, const std::string& source);

/// One variable of a whole file, by name.
StoredArray load_mat5(std::span<const std::byte> bytes, const std::string& name, const std::string& source,
                      std::uint64_t max_bytes);

}  // namespace snapcube::io
