#pragma once
// Sums of products between the channels of planar rows (row_product.h tells the layout).

#include <cstddef>

namespace snapcube::kernels {

/// Behind the last pixel of each channel there must be zeros, up to a multiple of this many pixels.
constexpr std::size_t kGramPadding = 16;

/// sums[i][j] += Σ_r Σ_p x[r·row_step + i·pitch + p] · x[r·row_step + j·pitch + p],  j ≥ i
/// At most 64 products are summed one after the other in single precision, the rest in double.
struct Gram {
  const float* x = nullptr;
  int channels = 0;
  std::size_t pitch = 0;
  std::size_t pixels = 0;
  int rows = 1;
  std::size_t row_step = 0;
  double* sums = nullptr;  ///< [channels][channels]; below the diagonal nothing is written
};
void gram(const Gram& gram);

namespace plain {
void gram(const Gram& gram);
}

}  // namespace snapcube::kernels
