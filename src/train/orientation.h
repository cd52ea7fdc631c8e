#pragma once
// The eight ways to turn and mirror a square.

#include <algorithm>
#include <cstddef>

#include "base/random.h"

namespace snapcube {

/// out(y, x) = in(u, v): (u, v) is (y, x), or (x, y) when transposed, each counted from the other end when flipped.
/// All eight together are the rotations by 90° with and without a mirror.
struct Orientation {
  bool transposed = false;
  bool rows_flipped = false;
  bool columns_flipped = false;

  static Orientation draw(Random& random) {
    const std::uint32_t n = random.below(8);
    return {(n & 4) != 0, (n & 2) != 0, (n & 1) != 0};
  }
};

/// A window of `height` × `width` values, whose rows are `in_stride` apart, to `out`. Transposed only for squares.
template <typename T, typename Convert>
void copy_oriented(const T* in, std::ptrdiff_t in_stride, int height, int width, Orientation orientation, float* out,
                   std::ptrdiff_t out_stride, Convert convert) {
  std::ptrdiff_t down = orientation.transposed ? 1 : in_stride;
  std::ptrdiff_t right = orientation.transposed ? in_stride : 1;
  // A flip of u runs through the input's rows backwards; u is x when transposed.
  std::ptrdiff_t& along_rows = orientation.transposed ? right : down;
  std::ptrdiff_t& along_columns = orientation.transposed ? down : right;
  if (orientation.rows_flipped) {
    in += (height - 1) * in_stride;
    along_rows = -along_rows;
  }
  if (orientation.columns_flipped) {
    in += width - 1;
    along_columns = -along_columns;
  }
  if (right == 1) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) out[y * out_stride + x] = convert(in[y * down + x]);
    }
    return;
  }
  // Blocks, so that a transposition uses the whole of each cache line it touches.
  constexpr int kBlock = 32;
  for (int top = 0; top < height; top += kBlock) {
    for (int left = 0; left < width; left += kBlock) {
      for (int y = top; y < std::min(height, top + kBlock); ++y) {
        for (int x = left; x < std::min(width, left + kBlock); ++x) {
          out[y * out_stride + x] = convert(in[y * down + x * right]);
        }
      }
    }
  }
}

}  // namespace snapcube
