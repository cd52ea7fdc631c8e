#include <cmath>

#include "kernels/gate.h"

namespace snapcube::kernels::plain {

void gate(const Gate& g) {
  for (std::size_t p = 0; p < g.pixels; ++p) {
    float sum = g.bias;
    for (std::size_t dy = 0; dy < 5; ++dy) {
      for (std::size_t dx = 0; g.rows[dy] && dx < 5; ++dx) sum += g.weights[5 * dy + dx] * (g.rows[dy] + p + dx)[-2];
    }
    g.out[p] = g.x[p] * (1 + 1 / (1 + std::exp(-sum)));
  }
}

}  // namespace snapcube::kernels::plain
