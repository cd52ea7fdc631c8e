#pragma once
// Layers that several networks are made of.

#include <torch/torch.h>

namespace snapcube::nets {

/// k×k, zero-padded by half the kernel.
inline torch::nn::Conv2d same_convolution(int inputs, int outputs, int kernel, bool bias = true) {
  return torch::nn::Conv2d(torch::nn::Conv2dOptions(inputs, outputs, kernel).padding(kernel / 2).bias(bias));
}
inline torch::nn::Conv2d depthwise_convolution(int channels, int kernel, bool bias = true) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(channels, channels, kernel).padding(kernel / 2).groups(channels).bias(bias));
}
/// The published start of attention: normal with deviation 0.02. Its cut at ±2 is a hundred deviations away.
void start_small(torch::nn::LinearImpl& layer);
/// Without a bias.
torch::nn::Linear small_linear(int inputs, int outputs);
/// Kernel = stride, with a bias.
inline torch::nn::ConvTranspose2d upsampling(int inputs, int outputs, int factor = 2) {
  return torch::nn::ConvTranspose2d(torch::nn::ConvTranspose2dOptions(inputs, outputs, factor).stride(factor));
}
/// 3×3, ReLU, 3×3, …: `count` convolutions, the first from `inputs`, with a ReLU between them and, if asked for,
/// behind.
torch::nn::Sequential convolution_chain(int inputs, int outputs, int count, bool last_relu);

/// x reflected at the right and at the bottom to multiples of `unit`.
torch::Tensor pad_to_multiple(const torch::Tensor& x, int unit);

}  // namespace snapcube::nets
