#include "nets/spectral_attention.h"

#include "nets/layers.h"

namespace snapcube::nets {

namespace nn = torch::nn;

SpectralAttentionImpl::SpectralAttentionImpl(int channels, int heads, int inner) : heads_(heads) {
  const auto from_token = [&](const char* name) {
    return register_module(name, nn::Linear(nn::LinearOptions(channels, inner).bias(false)));
  };
  to_q_ = from_token("to_q");
  to_k_ = from_token("to_k");
  to_v_ = from_token("to_v");
  rescale_ = register_parameter("rescale", torch::ones({heads, 1, 1}));
  proj_ = register_module("proj", nn::Linear(inner, channels));
  pos_emb_ = register_module("pos_emb", nn::Sequential(depthwise_convolution(channels, 3, false), nn::GELU(),
                                                       depthwise_convolution(channels, 3, false)));
}

torch::Tensor SpectralAttentionImpl::mixed(const torch::Tensor& x, const torch::Tensor& values) {
  const auto batch = x.size(0);
  const auto height = x.size(1);
  const auto width = x.size(2);
  // [batch, heads, channels of a head, pixels]
  const auto per_head = [&](const torch::Tensor& t) {
    return t.reshape({batch, height * width, heads_, t.size(3) / heads_}).permute({0, 2, 3, 1});
  };
  const auto unit = [](const torch::Tensor& t) {
    return nn::functional::normalize(t, nn::functional::NormalizeFuncOptions().dim(3));
  };
  const auto q = unit(per_head(to_q_(x)));
  const auto k = unit(per_head(to_k_(x)));
  const auto attention = torch::softmax(torch::matmul(k, q.transpose(2, 3)) * rescale_, 3);
  return proj_(
      torch::matmul(attention, per_head(values)).permute({0, 3, 1, 2}).reshape({batch, height, width, values.size(3)}));
}

torch::Tensor SpectralAttentionImpl::places(const torch::Tensor& map) {
  return pos_emb_->forward(map.permute({0, 3, 1, 2})).permute({0, 2, 3, 1});
}

}  // namespace snapcube::nets
