#pragma once
// What the backward pass needs beside row_product and depthwise: sums over pixels, slopes, LayerNorm's gradient. Rows
// are planar (row_product.h).

#include <cstddef>

namespace snapcube::kernels {

/// out[m][n] += Σ_r Σ_p a[r·a_row_step + m·a_pitch + p] · b[r·b_row_step + n·b_pitch + p]: the gradient of a matrix
/// that maps b to a.
struct OuterProduct {
  const float* a = nullptr;
  std::size_t a_pitch = 0;
  std::size_t a_row_step = 0;
  int a_channels = 0;
  const float* b = nullptr;
  std::size_t b_pitch = 0;
  std::size_t b_row_step = 0;
  int b_channels = 0;
  std::size_t pixels = 0;  ///< of a row
  int rows = 1;
  float* out = nullptr;  ///< [a_channels][b_channels]
};
void outer_product(const OuterProduct& product);

/// value = x·Φ(x) and slope = Φ(x) + x·φ(x), its derivative; each may be x. Absolute errors below 2e-6 and 6e-6.
void gelu_and_slope(const float* x, std::size_t n, float* value, float* slope);
/// value = max(x, 0.1·x) and slope = 1 above 0, else 0.1; each may be x.
void leaky_and_slope(const float* x, std::size_t n, float* value, float* slope);
/// x ← x·y.
void multiply(float* x, const float* y, std::size_t n);

/// out[c][dy][dx] += Σ_r Σ_p gradient[r·row_step + c·pitch + p] · rows[r + dy][c·pitch + p + dx − 1]: the gradient of a
/// depthwise 3×3 kernel. The caller provides the padding.
struct DepthwiseGradient {
  const float* gradient = nullptr;
  std::size_t row_step = 0;
  const float* const* rows = nullptr;  ///< out_rows + 2
  std::size_t pitch = 0;               ///< of both
  int channels = 0;
  std::size_t pixels = 0;
  int out_rows = 1;
  float* out = nullptr;  ///< [channels][3][3]
};
void depthwise_gradient(const DepthwiseGradient& gradient);

/// Of y = n·γ + β, n = (x − mean)/sqrt(variance + ε): dx += ∂/∂x, and dγ, dβ summed over the pixels.
struct LayerNormGradient {
  const float* in = nullptr;  ///< x
  std::size_t in_pitch = 0;
  const float* gradient = nullptr;  ///< dy
  std::size_t gradient_pitch = 0;
  const float* gamma = nullptr;
  int channels = 0;
  std::size_t pixels = 0;
  float* out = nullptr;  ///< dx, added to
  std::size_t out_pitch = 0;
  float* gamma_gradient = nullptr;  ///< [channels], added to
  float* beta_gradient = nullptr;
};
void layer_norm_gradient(const LayerNormGradient& gradient);

namespace plain {
void outer_product(const OuterProduct& product);
void gelu_and_slope(const float* x, std::size_t n, float* value, float* slope);
void leaky_and_slope(const float* x, std::size_t n, float* value, float* slope);
void multiply(float* x, const float* y, std::size_t n);
void depthwise_gradient(const DepthwiseGradient& gradient);
void layer_norm_gradient(const LayerNormGradient& gradient);
}  // namespace plain

}  // namespace snapcube::kernels
