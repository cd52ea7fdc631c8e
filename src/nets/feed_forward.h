#pragma once
// What every Transformer here is made of, beside its attention.

#include <array>
#include <torch/torch.h>

namespace snapcube::nets {

/// LayerNorm over channels, then a layer; the published names are norm and fn.
template <typename Layer>
class PreNormImpl : public torch::nn::Module {
 public:
  PreNormImpl(int channels, Layer layer)
      : norm(register_module("norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({channels})))),
        fn(register_module("fn", layer)) {}

  torch::Tensor forward(const torch::Tensor& x) { return fn(norm(x)); }

  torch::nn::LayerNorm norm;
  Layer fn;
};

/// 1×1 C→4C, GELU, depthwise 3×3, GELU, 1×1 4C→C on a map [batch, H, W, C].
class FeedForwardImpl : public torch::nn::Module {
 public:
  explicit FeedForwardImpl(int channels);
  torch::Tensor forward(const torch::Tensor& x);
  /// Of the three convolutions.
  std::array<torch::Tensor, 3> weights() const;

 private:
  torch::nn::Sequential net_;
};
TORCH_MODULE(FeedForward);

}  // namespace snapcube::nets
