#pragma once
// What the network widens and narrows again, and its gradient, for training:
//   y = W₂·f(D ∗ f(W₁·n)),  n = x, or LayerNorm(x) and then y + x,
// D a depthwise 3×3 convolution of stride 1 or 2: the feed-forward half of a block, and the estimator's stages.
//
// The wide maps in the middle never exist as a whole, forward or backward: the backward pass computes them anew, a few
// rows at a time, while it walks down a slab of rows.

#include "gradients/planes.h"
#include "kernels/row_product.h"

namespace snapcube::gradients {

/// Row-major, as libtorch stores them.
struct Expansion {
  int inputs = 0;
  int wide = 0;
  int outputs = 0;
  int stride = 1;                                              ///< 1 or 2; with 2 both sides of the map are even
  kernels::Activation activation = kernels::Activation::gelu;  ///< f: gelu or leaky_relu
  const float* gamma = nullptr;                                ///< [inputs]; null: no LayerNorm, nothing added
  const float* beta = nullptr;                                 ///< [inputs]
  const float* expand = nullptr;                               ///< W₁ [wide][inputs]
  const float* depthwise = nullptr;                            ///< D [wide][3][3]
  const float* reduce = nullptr;                               ///< W₂ [outputs][wide]

  bool residual() const { return gamma != nullptr; }
};
/// Their gradients, which are added to.
struct ExpansionGradients {
  float* gamma = nullptr;
  float* beta = nullptr;
  float* expand = nullptr;
  float* depthwise = nullptr;
  float* reduce = nullptr;
};

void expansion(const ConstPlanes& x, const Expansion& layer, const Planes& y);
/// dx = dy·∂y/∂x. The same result for every number of threads.
void expansion_backward(const ConstPlanes& x, const Expansion& layer, const ConstPlanes& dy, const Planes& dx,
                        const ExpansionGradients& gradients);

}  // namespace snapcube::gradients
