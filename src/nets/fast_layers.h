#pragma once
// Convolutions on the project's kernels, forward and backward, as functions that libtorch's autograd knows. Maps are
// [batch, C, H, W]; results are rows of planar channels in memory (nets/planes.h), which the next layer takes as it is.

#include <torch/torch.h>

namespace snapcube::nets {

/// 1×1; 3×3 of any dilation; 4×4 of stride 2. Without a bias.
torch::Tensor fast_convolution(const torch::Tensor& x, const torch::nn::Conv2dImpl& layer);
/// Exact to 6e-6, forward and backward.
torch::Tensor fast_gelu(const torch::Tensor& x);
/// 2×2 of stride 2, with a bias.
torch::Tensor fast_upsampling(const torch::Tensor& x, const torch::nn::ConvTranspose2dImpl& layer);
/// reduce(f(depthwise(f(expand(x))))), f the leaky ReLU; depthwise of stride 1 or 2.
torch::Tensor fast_expansion(const torch::Tensor& x, const torch::nn::Conv2dImpl& expand,
                             const torch::nn::Conv2dImpl& depthwise, const torch::nn::Conv2dImpl& reduce);
/// x + reduce(GELU(depthwise(GELU(expand(LayerNorm(x)))))), for x [batch, H, C, W], and weights [outputs][inputs]….
torch::Tensor fast_feed_forward_rows(const torch::Tensor& x, const torch::Tensor& gamma, const torch::Tensor& beta,
                                     const torch::Tensor& expand, const torch::Tensor& depthwise,
                                     const torch::Tensor& reduce);

}  // namespace snapcube::nets
