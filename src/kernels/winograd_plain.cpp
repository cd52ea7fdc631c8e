#include "kernels/winograd.h"

namespace snapcube::kernels::plain {

namespace {

/// out[o][p] = Σ_i factor(o, i)·in[i][p]
template <typename Factor>
void combine(const float* const* in, int inputs, std::size_t n, float* const* out, int outputs, const Factor& factor) {
  for (std::size_t p = 0; p < n; ++p) {
    for (int o = 0; o < outputs; ++o) {
      if (!out[o]) continue;
      float sum = 0;
      for (int i = 0; i < inputs; ++i) {
        if (in[i]) sum += factor(static_cast<std::size_t>(o), static_cast<std::size_t>(i)) * in[i][p];
      }
      out[o][p] = sum;
    }
  }
}

}  // namespace

void winograd_input(const float* const rows[6], std::size_t n, float* const out[6]) {
  combine(rows, 6, n, out, 6, [](std::size_t o, std::size_t i) { return kWinogradInput[o][i]; });
}

void winograd_output(const float* const products[6], std::size_t n, float* const out[4]) {
  combine(products, 6, n, out, 4, [](std::size_t o, std::size_t i) { return kWinogradOutput[o][i]; });
}

void winograd_output_transposed(const float* const rows[4], std::size_t n, float* const out[6]) {
  combine(rows, 4, n, out, 6, [](std::size_t o, std::size_t i) { return kWinogradOutput[i][o]; });
}

}  // namespace snapcube::kernels::plain
