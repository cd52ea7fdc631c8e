#pragma once
// Self-attention of λ-net over all pixels: x + γ·softmax(q·kᵀ/√d)·v, one head.

#include <torch/torch.h>

namespace snapcube::nets {

class LambdaAttentionImpl : public torch::nn::Module {
 public:
  /// q and k are `width` wide, v as wide as the map.
  LambdaAttentionImpl(int channels, int width);
  /// [batch, C, H, W]
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor gamma_;
  torch::nn::Linear to_q_{nullptr}, to_k_{nullptr}, to_v_{nullptr};
};
TORCH_MODULE(LambdaAttention);

}  // namespace snapcube::nets
