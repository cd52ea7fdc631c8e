#pragma once
// The network's convolutions and their gradients, for training. Weights are as libtorch stores them; gradients of
// weights are added to; results are the same for every number of threads.

#include "gradients/planes.h"

namespace snapcube::gradients {

/// 1×1 or 3×3, stride 1, zeros around the map, no bias.
struct Convolution {
  int inputs = 0;
  int outputs = 0;
  int kernel = 1;                  ///< 1 or 3
  int dilation = 1;                ///< at most kMargin
  const float* weights = nullptr;  ///< [outputs][inputs][kernel][kernel]
};
void convolve(const ConstPlanes& x, const Convolution& c, const Planes& y);
/// dx null: not wanted.
void convolve_backward(const ConstPlanes& x, const Convolution& c, const ConstPlanes& dy, const Planes* dx,
                       float* weights_gradient);

/// 4×4, stride 2, one row and column of zeros around the map, no bias; weights [outputs][inputs][4][4].
void downsample(const ConstPlanes& x, const float* weights, const Planes& y);
void downsample_backward(const ConstPlanes& x, const float* weights, const ConstPlanes& dy, const Planes& dx,
                         float* weights_gradient);

/// Transposed 2×2, stride 2: y[2r + a][2c + b] = W_ab·x[r][c] + bias; weights [inputs][outputs][2][2].
void upsample(const ConstPlanes& x, const float* weights, const float* bias, const Planes& y);
/// Without the bias, whose gradient is a sum of dy.
void upsample_backward(const ConstPlanes& x, const float* weights, const ConstPlanes& dy, const Planes& dx,
                       float* weights_gradient);

}  // namespace snapcube::gradients
