// The network of DIP-HSI: a U-net without skips from fixed noise to a cube. train/deep_prior.h fits it.

#include <fmt/format.h>

#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

nn::Sequential normalised_pair(int inputs, int outputs) {
  return nn::Sequential(same_convolution(inputs, outputs, 3), nn::BatchNorm2d(outputs), nn::ReLU(),
                        same_convolution(outputs, outputs, 3), nn::BatchNorm2d(outputs), nn::ReLU());
}

class DipHsiImpl : public Network {
 public:
  explicit DipHsiImpl(const ModelConfig& config) : Network(config) {
    down_ = register_module("down", nn::ModuleList());
    for (int i = 0; i < 5; ++i) down_->push_back(normalised_pair(i == 0 ? config.bands : 32 << i, 64 << i));
    up_ = register_module("up", nn::ModuleList());
    join_ = register_module("join", nn::ModuleList());
    for (int i = 0; i < 4; ++i) {
      const int deep = 128 << i;
      up_->push_back(upsampling(deep, deep));
      join_->push_back(normalised_pair(deep, deep / 2));
    }
    last_ = register_module("last", same_convolution(64, config.bands, 1));
  }

  /// `noise` in place of a measurement; the mask is of no meaning.
  Output forward(const torch::Tensor& noise, const torch::Tensor& /*mask*/) override {
    constexpr int kUnit = 16;  // four halvings
    auto x = pad_to_multiple(noise, kUnit);
    for (std::size_t i = 0; i < 5; ++i) {
      x = down_->at<nn::SequentialImpl>(i).forward(i == 0 ? x : torch::max_pool2d(x, 2));
    }
    for (std::size_t i = 4; i-- > 0;) {
      x = join_->at<nn::SequentialImpl>(i).forward(up_->at<nn::ConvTranspose2dImpl>(i).forward(x));
    }
    return {last_->forward(x).slice(2, 0, noise.size(2)).slice(3, 0, noise.size(3)), {}};
  }

 private:
  nn::ModuleList down_, up_, join_;
  nn::Conv2d last_{nullptr};
};

const AnnounceNet kAnnounced("dip-hsi", [](const ModelConfig& config) { return std::make_shared<DipHsiImpl>(config); });

}  // namespace

}  // namespace snapcube::nets
