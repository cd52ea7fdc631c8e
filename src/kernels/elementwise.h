#pragma once
// Functions of single values, and LayerNorm, over planar rows.

#include <cstddef>

#include "kernels/row_product.h"

namespace snapcube::kernels {

/// x ← x·Φ(x) = x/2·(1 + erf(x/√2)). Absolute error below 1e-6, and below 2e-5 of |x| near 0.
void gelu(float* x, std::size_t n);
/// x ← eˣ, for x ≤ 88. Relative error below 1e-6 down to −87; there it stays.
void exponential(float* x, std::size_t n);

/// out[c][p] = (in[c][p] − mean)/sqrt(variance + 1e-5) · gamma[c] + beta[c], mean and variance over the channels of
/// pixel p. Null gamma and beta: 1 and 0. out may be in.
void layer_norm(const float* in, std::size_t pitch, int channels, std::size_t pixels, const float* gamma,
                const float* beta, float* out, std::size_t out_pitch);
constexpr float kLayerNormEpsilon = 1e-5f;

/// out[c][p] = a[c][p] · b[c][p], the channels of each a pitch apart. out may be a or b.
void multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels,
              std::size_t pixels, float* out, std::size_t out_pitch);

/// even[i] = in[2i], odd[i] = in[2i+1], i < n.
void split_pairs(const float* in, std::size_t n, float* even, float* odd);
/// out[2i] = even[i] + base[2i], out[2i+1] = odd[i] + base[2i+1], i < n. base null: 0; may be out.
void join_pairs(const float* even, const float* odd, std::size_t n, const float* base, float* out);

namespace plain {
float activated(float x, Activation activation);
void gelu(float* x, std::size_t n);
void exponential(float* x, std::size_t n);
void layer_norm(const float* in, std::size_t pitch, int channels, std::size_t pixels, const float* gamma,
                const float* beta, float* out, std::size_t out_pitch);
void multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels,
              std::size_t pixels, float* out, std::size_t out_pitch);
void split_pairs(const float* in, std::size_t n, float* even, float* odd);
void join_pairs(const float* even, const float* odd, std::size_t n, const float* base, float* out);
}  // namespace plain

}  // namespace snapcube::kernels
