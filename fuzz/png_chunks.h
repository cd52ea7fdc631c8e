#pragma once
// The checksums of PNG chunks. Without them put right, hardly any change would get past libpng's first look.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <zlib.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace snapcube::fuzzing {

constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";

/// Length, type, data, CRC of type and data: walks the chunks from `at` on; stops where one does not fit or another
/// picture begins.
inline void seal_chunks(std::uint8_t* data, std::size_t size, std::size_t at) {
  const auto word = [&](std::size_t i) {
    return std::uint32_t{data[i]} << 24 | data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3];
  };
  while (size - at >= 12 && word(at) <= size - at - 12) {
    const std::size_t length = word(at);
    const auto crc = static_cast<std::uint32_t>(::crc32(0, data + at + 4, static_cast<uInt>(length + 4)));
    for (std::size_t i = 0; i < 4; ++i) data[at + 8 + length + i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
    at += length + 12;
  }
}

/// Puts the checksums of every picture in the input right, except in one of eight inputs.
inline std::size_t mutate_pngs(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 8 == 0) return size;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (auto at = text.find(kPngSignature); at != text.npos; at = text.find(kPngSignature, at + 1)) {
    seal_chunks(data, size, at + kPngSignature.size());
  }
  return size;
}

}  // namespace snapcube::fuzzing
