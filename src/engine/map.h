#pragma once
// Feature maps: rows of planar channels, [height][channels][pitch].
//
// The pitch is longer than the width. What lies between is zero and stays zero: it is the padding of every convolution,
// to the right of one channel and to the left of the next. The pitch is an odd number of cache lines, so that the
// channels of a pixel spread over all sets of the caches.

#include <algorithm>
#include <cstddef>

#include "engine/memory.h"

namespace snapcube::engine {

/// Floats in a cache line.
constexpr std::size_t kLine = 16;
/// The farthest that a convolution reaches beyond a row: dilation 6.
constexpr int kMaxReach = 6;

/// The pitch of a row of `width` pixels.
inline std::size_t pitch_of(int width) {
  const std::size_t lines = (static_cast<std::size_t>(width) + kMaxReach + kLine - 1) / kLine;
  return (lines | 1) * kLine;
}

/// A view.
struct Map {
  float* data = nullptr;
  int channels = 0;
  int height = 0;
  int width = 0;
  std::size_t pitch = 0;
  std::size_t row_step = 0;

  float* row(int y) const { return data + static_cast<std::size_t>(y) * row_step; }
  /// The same map without its last channels.
  Map first_channels(int count) const {
    Map map = *this;
    map.channels = count;
    return map;
  }
  std::size_t pixels() const { return static_cast<std::size_t>(width); }
};

/// Memory of a map, zero at first.
class MapStorage {
 public:
  MapStorage() = default;
  MapStorage(int channels, int height, int width) {
    view_ = {nullptr, channels, height, width, pitch_of(width), static_cast<std::size_t>(channels) * pitch_of(width)};
    // One line before the first row, for its padding to the left.
    values_ = Memory(kLine + static_cast<std::size_t>(height) * view_.row_step);
    view_.data = values_.data() + kLine;
  }
  const Map& view() const { return view_; }
  std::size_t bytes() const { return values_.size() * sizeof(float); }

 private:
  Map view_;
  Memory values_;
};

}  // namespace snapcube::engine
