#pragma once
// The feed-forward half of a block, y = x + W₂·GELU(D ∗ GELU(W₁·LayerNorm(x))), and its gradient, for training.
//
// The wide maps in the middle never exist as a whole, forward or backward: the backward pass computes them anew, a few
// rows at a time, while it walks down a band of rows.

#include "gradients/planes.h"

namespace snapcube::gradients {

/// Row-major, as libtorch stores them.
struct FeedForwardWeights {
  const float* gamma = nullptr;      ///< [C]
  const float* beta = nullptr;       ///< [C]
  const float* expand = nullptr;     ///< W₁ [4C][C]
  const float* depthwise = nullptr;  ///< D [4C][3][3]
  const float* reduce = nullptr;     ///< W₂ [C][4C]
};
/// The same for their gradients, which are added to.
struct FeedForwardGradients {
  float* gamma = nullptr;
  float* beta = nullptr;
  float* expand = nullptr;
  float* depthwise = nullptr;
  float* reduce = nullptr;
};

void feed_forward(const ConstPlanes& x, const FeedForwardWeights& weights, const Planes& y);
/// dx = dy·∂y/∂x. The same result for every number of threads.
void feed_forward_backward(const ConstPlanes& x, const FeedForwardWeights& weights, const ConstPlanes& dy,
                           const Planes& dx, const FeedForwardGradients& gradients);

}  // namespace snapcube::gradients
