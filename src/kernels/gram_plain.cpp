#include "kernels/gram.h"

namespace snapcube::kernels::plain {

void gram(const Gram& g) {
  const auto n = static_cast<std::size_t>(g.channels);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < static_cast<std::size_t>(g.rows); ++r) {
        const float* a = g.x + r * g.row_step + i * g.pitch;
        const float* b = g.x + r * g.row_step + j * g.pitch;
        for (std::size_t p = 0; p < g.pixels; ++p) sum += static_cast<double>(a[p]) * b[p];
      }
      g.sums[i * n + j] += sum;
    }
  }
}

}  // namespace snapcube::kernels::plain
