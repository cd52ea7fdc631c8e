#pragma once
// The bytes of one variable in a MATLAB v5 file, as they come after decompression.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <zlib.h>

namespace snapcube::io {

class Mat5Stream {
 public:
  /// `bytes` are the variable's: plain, or a zlib stream.
  Mat5Stream(std::span<const std::byte> bytes, bool compressed, std::string source);
  ~Mat5Stream();
  Mat5Stream(const Mat5Stream&) = delete;
  Mat5Stream& operator=(const Mat5Stream&) = delete;

  /// Fills the span. Throws InputError when the bytes end before, or the compressed data is
  /// damaged.
  void read(std::span<std::byte> target);
  /// Passes over at most eight bytes.
  void skip(std::size_t count);
  /// Passes over padding, which some writers leave out at the end.
  void skip_padding(std::size_t count);
  /// Whether `count` more bytes are possible at all; zlib's best is 1032 to 1.
  bool could_hold(std::uint64_t count) const;
  /// Reads what is left and throws InputError if it is more than padding or its checksum is wrong.
  void finish();

 private:
  /// Fills the span as far as there are bytes; returns how far.
  std::size_t read_some(std::span<std::byte> target);

  std::span<const std::byte> bytes_;
  bool compressed_;
  std::string source_;
  z_stream inflater_{};
  bool ended_ = false;
};

}  // namespace snapcube::io
