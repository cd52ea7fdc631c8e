#pragma once
// How a batch of maps is cut into pieces of work. The cut does not depend on the number of threads, and what the pieces
// sum up is added in their order, so results do not either.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <omp.h>
#include <vector>

namespace snapcube::gradients {

/// Rows [first, last), columns [left, right) of a sample.
struct Piece {
  int sample;
  int first;
  int last;
  int left;
  int right;
};

inline std::vector<Piece> pieces(int batch, int height, int width, int slab, int strip) {
  std::vector<Piece> list;
  for (int b = 0; b < batch; ++b) {
    for (int y = 0; y < height; y += slab) {
      for (int x = 0; x < width; x += strip) {
        list.push_back({b, y, std::min(y + slab, height), x, std::min(x + strip, width)});
      }
    }
  }
  return list;
}

/// Rows of a slab: `tallest`, but half of it for a map that would be a single piece, of which a second thread had none.
/// (The deepest maps of a flat crop are 16 rows high, and a third of the work.)
inline int slab_rows(int batch, int height, int strips, int tallest) {
  return batch * strips == 1 && height <= tallest ? (tallest + 1) / 2 : tallest;
}

/// Calls f(i, sums_i), sums_i being `floats` zeros, for i < count, in parallel; then adds all sums to `total` in order.
template <typename F>
void parallel_sums(int count, std::size_t floats, float* total, F&& f) {
  const auto sums = std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(count) * floats);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < count; ++i) {
    float* own = sums.get() + static_cast<std::size_t>(i) * floats;
    std::fill_n(own, floats, 0.0f);
    f(i, own);
  }
  const auto size = static_cast<std::ptrdiff_t>(floats);
#pragma omp parallel for
  for (std::ptrdiff_t k = 0; k < size; ++k) {
    float sum = 0;
    for (int i = 0; i < count; ++i) sum += sums[static_cast<std::size_t>(i) * floats + static_cast<std::size_t>(k)];
    total[k] += sum;
  }
}

}  // namespace snapcube::gradients
