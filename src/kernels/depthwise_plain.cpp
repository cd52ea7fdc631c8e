#include "kernels/depthwise.h"
#include "kernels/elementwise.h"

namespace snapcube::kernels::plain {

void depthwise(const Depthwise& c) {
  const auto stride = static_cast<std::size_t>(c.stride);
  for (std::size_t r = 0; r < static_cast<std::size_t>(c.out_rows); ++r) {
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(c.channels); ++channel) {
      for (std::size_t p = 0; p < c.pixels; ++p) {
        float sum = 0;
        for (std::size_t dy = 0; dy < 3; ++dy) {
          const float* row = c.rows[stride * r + dy] + channel * c.pitch + stride * p;
          for (std::size_t dx = 0; dx < 3; ++dx) sum += c.weights[9 * channel + 3 * dy + dx] * (row + dx)[-1];
        }
        const float residual = c.residual ? c.residual[r * c.residual_row_step + channel * c.residual_pitch + p] : 0.0f;
        c.out[r * c.out_row_step + channel * c.out_pitch + p] = activated(sum, c.activation) + residual;
      }
    }
  }
}

}  // namespace snapcube::kernels::plain
