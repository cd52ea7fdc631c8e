#pragma once
// Depthwise 3×3 convolution of planar rows (row_product.h tells the layout), several output rows at once: they share
// what is loaded, which is what limits this kernel.

#include <cstddef>

#include "kernels/row_product.h"

namespace snapcube::kernels {

constexpr int kMaxDepthwiseRows = 4;

/// out[r][c][p] = activation(Σ_dy Σ_dx w[c][dy][dx] · rows[stride·r + dy][c·pitch + stride·p + dx − 1]) +
/// residual[r][c][p],  dy, dx = 0, 1, 2. The caller provides the padding: zeros at p = −1 and behind the last pixel of
/// each channel, and rows of zeros.
struct Depthwise {
  const float* weights = nullptr;  ///< [channels][3][3]
  int channels = 0;
  const float* const* rows = nullptr;  ///< stride·(out_rows − 1) + 3 of them
  std::size_t pitch = 0;
  int stride = 1;          ///< 1 or 2
  std::size_t pixels = 0;  ///< of an output row
  int out_rows = 1;        ///< at most kMaxDepthwiseRows
  Activation activation = Activation::none;
  const float* residual = nullptr;  ///< null: 0; may be `out`
  std::size_t residual_pitch = 0;
  std::size_t residual_row_step = 0;
  float* out = nullptr;
  std::size_t out_pitch = 0;     ///< from a channel to the next
  std::size_t out_row_step = 0;  ///< from a row to the next
};
void depthwise(const Depthwise& convolution);

namespace plain {
void depthwise(const Depthwise& convolution);
}

}  // namespace snapcube::kernels
