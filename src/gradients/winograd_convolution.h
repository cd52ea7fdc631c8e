#pragma once
// 3×3 convolutions by Winograd's F(4, 3) down the rows (kernels/winograd.h): half of the multiply-adds, forward and for
// both gradients.

#include "gradients/planes.h"

namespace snapcube::gradients {

/// y = weights ∗ x, zeros around the map; weights [outputs][inputs][3][3]. `turned`: the transposed convolution, with
/// weights [inputs][outputs][3][3] turned around, which takes the gradient of y to that of x.
void winograd_convolve(const ConstPlanes& x, const float* weights, bool turned, const Planes& y);
/// Adds Σ dy·x, shifted by each tap, to weights_gradient [outputs][inputs][3][3].
void winograd_weights_gradient(const ConstPlanes& x, const ConstPlanes& dy, float* weights_gradient);

}  // namespace snapcube::gradients
