#include <algorithm>
#include <cmath>

#include "kernels/elementwise.h"

namespace snapcube::kernels::plain {

float activated(float x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0f);
    case Activation::leaky_relu:
      return x > 0 ? x : kLeakySlope * x;
    case Activation::gelu:
      return static_cast<float>(0.5 * x * std::erfc(-x * std::sqrt(0.5)));
    default:
      return x;
  }
}

void gelu(float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = activated(x[i], Activation::gelu);
}

void exponential(float* x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) x[i] = std::exp(std::max(x[i], -87.0f));
}

void layer_norm(const float* in, std::size_t pitch, int channels, std::size_t pixels, const float* gamma,
                const float* beta, float* out, std::size_t out_pitch) {
  const auto n = static_cast<std::size_t>(channels);
  for (std::size_t p = 0; p < pixels; ++p) {
    float sum = 0;
    for (std::size_t c = 0; c < n; ++c) sum += in[c * pitch + p];
    const float mean = sum / static_cast<float>(channels);
    float squares = 0;
    for (std::size_t c = 0; c < n; ++c) squares += (in[c * pitch + p] - mean) * (in[c * pitch + p] - mean);
    const float scale = 1 / std::sqrt(squares / static_cast<float>(channels) + kLayerNormEpsilon);
    for (std::size_t c = 0; c < n; ++c) {
      const float y = (in[c * pitch + p] - mean) * scale;
      out[c * out_pitch + p] = gamma ? y * gamma[c] + beta[c] : y;
    }
  }
}

void multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels,
              std::size_t pixels, float* out, std::size_t out_pitch) {
  for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
    for (std::size_t p = 0; p < pixels; ++p) out[c * out_pitch + p] = a[c * a_pitch + p] * b[c * b_pitch + p];
  }
}

void split_pairs(const float* in, std::size_t n, float* even, float* odd) {
  for (std::size_t i = 0; i < n; ++i) {
    even[i] = in[2 * i];
    odd[i] = in[2 * i + 1];
  }
}

void join_pairs(const float* even, const float* odd, std::size_t n, const float* base, float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[2 * i] = even[i] + (base ? base[2 * i] : 0.0f);
    out[2 * i + 1] = odd[i] + (base ? base[2 * i + 1] : 0.0f);
  }
}

}  // namespace snapcube::kernels::plain
