#pragma once
// NumPy's .npy: "\x93NUMPY", version, length of the header, a Python dictionary {'descr': '<f4',
// 'fortran_order': False, 'shape': (256, 256, 28)}, then the elements to the end of the file.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/format.h"

namespace snapcube::io {

struct NpyHeader {
  std::vector<std::int64_t> shape;
  ElementType type = ElementType::f32;
  std::string type_name;  ///< "float32", "bool", or what makes it unreadable ("complex64", "object")
  bool readable = true;
  bool logical = false;
  bool big_endian = false;
  bool fortran_order = false;
  std::size_t length = 0;  ///< bytes before the first element
};

/// Most bytes that a header may take; NumPy's own are below 200.
constexpr std::size_t kMaxNpyHeader = 65536 + 12;

/// `bytes` is the beginning of the file, at least up to the end of the header.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, const std::string& source);

/// How many bytes of elements the header announces. Throws InputError when that is too much, or
/// when the type is none that can be read.
std::uint64_t checked_npy_bytes(const NpyHeader& header, const std::string& source, std::uint64_t max_bytes);

/// Header and elements together, in native byte order; there must be as many elements as announced.
StoredArray npy_array(const NpyHeader& header, std::vector<std::byte> elements);

/// A whole file. Throws InputError, also when there are too few or too many elements.
StoredArray parse_npy(std::span<const std::byte> bytes, const std::string& source, std::uint64_t max_bytes);

/// What stands before the elements in a file of version 1.
std::string npy_head(const std::vector<std::int64_t>& shape, ElementType type);
/// A whole file of version 1. `bytes` are its elements in native order.
std::vector<std::byte> npy_file(const std::vector<std::int64_t>& shape, ElementType type,
                                std::span<const std::byte> bytes);

}  // namespace snapcube::io
