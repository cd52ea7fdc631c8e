#pragma once
// Raw bytes of files.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace snapcube {

/// The file from `offset` to its end. Throws InputError when it cannot be opened or is longer than
/// max_bytes.
std::vector<std::byte> read_bytes(const std::string& path, std::uint64_t max_bytes, std::uint64_t offset = 0);

/// The first bytes of a file: `count`, or fewer when it is shorter.
std::vector<std::byte> read_first_bytes(const std::string& path, std::size_t count);

/// Reverses the bytes of every element.
void swap_byte_order(std::span<std::byte> bytes, std::size_t element_size);

}  // namespace snapcube
