#pragma once
// Reversing the bytes of every element of an array.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace snapcube::io {

constexpr bool kNativeIsBigEndian = std::endian::native == std::endian::big;

namespace byte_order_detail {

inline std::uint16_t reversed(std::uint16_t v) { return __builtin_bswap16(v); }
inline std::uint32_t reversed(std::uint32_t v) { return __builtin_bswap32(v); }
inline std::uint64_t reversed(std::uint64_t v) { return __builtin_bswap64(v); }

template <typename Word>
void reverse_each(std::span<std::byte> bytes) {
  for (std::size_t i = 0; i + sizeof(Word) <= bytes.size(); i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + i, sizeof(Word));
    word = reversed(word);
    std::memcpy(bytes.data() + i, &word, sizeof(Word));
  }
}

}  // namespace byte_order_detail

/// `element_bytes` is 1 (nothing happens), 2, 4 or 8.
inline void reverse_bytes(std::span<std::byte> bytes, std::size_t element_bytes) {
  using namespace byte_order_detail;
  if (element_bytes == 2) reverse_each<std::uint16_t>(bytes);
  if (element_bytes == 4) reverse_each<std::uint32_t>(bytes);
  if (element_bytes == 8) reverse_each<std::uint64_t>(bytes);
}

}  // namespace snapcube::io
