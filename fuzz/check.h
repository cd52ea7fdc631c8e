#pragma once
// What the fuzz targets share: bytes as files, and what must hold of everything that a parser accepts.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "io/format.h"

namespace snapcube::fuzzing {

/// No input may make a reader take more memory.
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;

inline std::span<const std::byte> as_span(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

/// A folder of this process, removed at its end.
const std::string& folder();
/// Writes a file into folder(); returns its path.
std::string put_file(const std::string& name, std::span<const std::byte> bytes);

/// Stops the program, and so the fuzzer, unless the condition holds.
void require(bool condition, const char* what);

/// Describes the file, loads every array, and makes a cube, a measurement and a mask of it. An Error may come out of
/// each step and is passed over; what is accepted must be consistent and finite.
void check_file(const io::Format& format, const std::string& path);

}  // namespace snapcube::fuzzing
