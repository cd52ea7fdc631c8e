#pragma once
// The eight ways to turn and mirror a rectangle, and random windows.

#include <algorithm>
#include <cstddef>
#include <utility>

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

/// A window, whose rows are `in_stride` apart, to `height` × `width` values of `out`. When transposed, the window is
/// `width` rows high.
template <typename T, typename Convert>
void copy_oriented(const T* in, std::ptrdiff_t in_stride, int height, int width, Orientation orientation, float* out,
                   std::ptrdiff_t out_stride, Convert convert) {
  std::ptrdiff_t down = orientation.transposed ? 1 : in_stride;
  std::ptrdiff_t right = orientation.transposed ? in_stride : 1;
  // A flip of u runs through the input's rows backwards; u is x when transposed.
  std::ptrdiff_t& along_rows = orientation.transposed ? right : down;
  std::ptrdiff_t& along_columns = orientation.transposed ? down : right;
  if (orientation.rows_flipped) {
    in += ((orientation.transposed ? width : height) - 1) * in_stride;
    along_rows = -along_rows;
  }
  if (orientation.columns_flipped) {
    in += (orientation.transposed ? height : width) - 1;
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

/// A window of an image, and how it is turned.
struct Window {
  int top = 0;
  int left = 0;
  Orientation orientation;

  /// One that gives height × width values, from an image of rows × columns, which must be at least as large; turned and
  /// mirrored at random if `turned`, by 90° only where the image has the room.
  static Window draw(Random& random, int rows, int columns, int height, int width, bool turned) {
    Window window;
    if (turned) window.orientation = Orientation::draw(random);
    if (rows < width || columns < height) window.orientation.transposed = false;
    if (window.orientation.transposed) std::swap(height, width);
    window.top = static_cast<int>(random.below(static_cast<std::uint32_t>(rows - height + 1)));
    window.left = static_cast<int>(random.below(static_cast<std::uint32_t>(columns - width + 1)));
    return window;
  }
};

}  // namespace snapcube
