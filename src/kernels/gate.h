#pragma once
// How MST weighs its mask: a value goes on once, and once more as far as a filter of its neighbourhood lets it.

#include <cstddef>

namespace snapcube::kernels {

/// out[p] = x[p] · (1 + σ(bias + Σ_dy Σ_dx w[dy][dx] · rows[dy][p + dx − 2])),  dy, dx = 0 … 4, σ(t) = 1/(1 + e⁻ᵗ)
struct Gate {
  const float* weights = nullptr;  ///< [5][5]
  float bias = 0;
  const float* const* rows = nullptr;  ///< 5, readable from pixel −2 to pixels + 1; null among them: counts 0
  const float* x = nullptr;
  std::size_t pixels = 0;
  float* out = nullptr;
};
void gate(const Gate& gate);

namespace plain {
void gate(const Gate& gate);
}

}  // namespace snapcube::kernels
