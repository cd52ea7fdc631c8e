#pragma once
// Writing MATLAB v5 files, uncompressed. matio would, but does not notice when a disk is full.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

#include "io/format.h"

namespace snapcube::io {

/// Collects a file as pieces; elements are not copied and must stay until the pieces are written.
class Mat5Writer {
 public:
  Mat5Writer();
  /// An array, the first index running fastest. Less than 2 GiB.
  void write(const std::string& name, ElementType type, const std::vector<std::size_t>& shape,
             std::span<const std::byte> elements);
  std::span<const std::span<const std::byte>> pieces() const { return pieces_; }

 private:
  void add(std::vector<std::byte> bytes);

  std::deque<std::vector<std::byte>> own_;  // a deque keeps its elements' place
  std::vector<std::span<const std::byte>> pieces_;
};

}  // namespace snapcube::io
