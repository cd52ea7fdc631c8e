#pragma once
// Attention between channels: S-MSA, and what MST guides by its mask.

#include <torch/torch.h>

#include "nets/map_attention.h"

namespace snapcube::nets {

/// Per head softmax(rescale·kᵀq)·v, the columns of q and k normalised over the pixels; what is lost of places comes
/// back by two depthwise convolutions.
class SpectralAttentionImpl : public MapAttentionImpl {
 public:
  SpectralAttentionImpl(int channels, int heads, int inner);
  /// Without a mask. The values may be wider than a token, so places are learnt from the token itself.
  torch::Tensor forward(const torch::Tensor& x) override { return mixed(x, to_v_(x)) + places(x); }

 protected:
  torch::Tensor values(const torch::Tensor& x) { return to_v_(x); }
  /// The values [batch, H, W, inner] mixed as x says, and projected.
  torch::Tensor mixed(const torch::Tensor& x, const torch::Tensor& values);
  /// Of a map of as many channels as x.
  torch::Tensor places(const torch::Tensor& map);

 private:
  std::int64_t heads_;
  torch::nn::Linear to_q_{nullptr}, to_k_{nullptr}, to_v_{nullptr}, proj_{nullptr};
  torch::Tensor rescale_;
  torch::nn::Sequential pos_emb_{nullptr};
};

}  // namespace snapcube::nets
