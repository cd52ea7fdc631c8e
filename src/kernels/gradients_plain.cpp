#include <cmath>
#include <numbers>

#include "kernels/elementwise.h"
#include "kernels/gradients.h"
#include "kernels/row_product.h"

namespace snapcube::kernels::plain {

void outer_product(const OuterProduct& o) {
  for (int m = 0; m < o.a_channels; ++m) {
    for (int n = 0; n < o.b_channels; ++n) {
      double sum = 0;
      for (int r = 0; r < o.rows; ++r) {
        const float* a = o.a + static_cast<std::size_t>(r) * o.a_row_step + static_cast<std::size_t>(m) * o.a_pitch;
        const float* b = o.b + static_cast<std::size_t>(r) * o.b_row_step + static_cast<std::size_t>(n) * o.b_pitch;
        for (std::size_t p = 0; p < o.pixels; ++p) sum += static_cast<double>(a[p]) * b[p];
      }
      o.out[m * o.b_channels + n] += static_cast<float>(sum);
    }
  }
}

void gelu_and_slope(const float* x, std::size_t n, float* value, float* slope) {
  for (std::size_t i = 0; i < n; ++i) {
    const double v = x[i];
    const double below = 0.5 * std::erfc(-v / std::numbers::sqrt2);
    value[i] = static_cast<float>(v * below);
    slope[i] = static_cast<float>(below + v * std::exp(-v * v / 2) / std::sqrt(2 * std::numbers::pi));
  }
}

void leaky_and_slope(const float* x, std::size_t n, float* value, float* slope) {
  for (std::size_t i = 0; i < n; ++i) {
    const float v = x[i];
    slope[i] = v > 0 ? 1.0f : kLeakySlope;
    value[i] = v > 0 ? v : kLeakySlope * v;
  }
}

void multiply(float* x, const float* y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] *= y[i];
}

void depthwise_gradient(const DepthwiseGradient& g) {
  for (int c = 0; c < g.channels; ++c) {
    const std::size_t plane = static_cast<std::size_t>(c) * g.pitch;
    for (int dy = 0; dy < 3; ++dy) {
      for (int dx = 0; dx < 3; ++dx) {
        double sum = 0;
        for (int r = 0; r < g.out_rows; ++r) {
          const float* gradient = g.gradient + static_cast<std::size_t>(r) * g.row_step + plane;
          const float* row = g.rows[r + dy] + plane + dx - 1;
          for (std::size_t p = 0; p < g.pixels; ++p) sum += static_cast<double>(gradient[p]) * row[p];
        }
        g.out[(c * 3 + dy) * 3 + dx] += static_cast<float>(sum);
      }
    }
  }
}

void layer_norm_gradient(const LayerNormGradient& g) {
  for (std::size_t p = 0; p < g.pixels; ++p) {
    const auto x = [&](int c) { return static_cast<double>(g.in[static_cast<std::size_t>(c) * g.in_pitch + p]); };
    const auto dy = [&](int c) {
      return static_cast<double>(g.gradient[static_cast<std::size_t>(c) * g.gradient_pitch + p]);
    };
    double mean = 0;
    for (int c = 0; c < g.channels; ++c) mean += x(c) / g.channels;
    double variance = 0;
    for (int c = 0; c < g.channels; ++c) variance += (x(c) - mean) * (x(c) - mean) / g.channels;
    const double scale = 1 / std::sqrt(variance + static_cast<double>(kLayerNormEpsilon));
    double sum = 0;
    double along = 0;
    for (int c = 0; c < g.channels; ++c) {
      sum += dy(c) * g.gamma[c] / g.channels;
      along += dy(c) * g.gamma[c] * (x(c) - mean) * scale / g.channels;
    }
    for (int c = 0; c < g.channels; ++c) {
      const double normal = (x(c) - mean) * scale;
      g.out[static_cast<std::size_t>(c) * g.out_pitch + p] +=
          static_cast<float>(scale * (dy(c) * g.gamma[c] - sum - normal * along));
      g.gamma_gradient[c] += static_cast<float>(dy(c) * normal);
      g.beta_gradient[c] += static_cast<float>(dy(c));
    }
  }
}

}  // namespace snapcube::kernels::plain
