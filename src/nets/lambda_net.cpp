// λ-net in its published small form: a U-net on the detector's grid with self-attention at a quarter of the resolution.

#include <fmt/format.h>

#include "nets/detector.h"
#include "nets/lambda_attention.h"
#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;
constexpr int kLevels = 6;
constexpr int kUnit = 32;

/// The published name tells how many convolutions there are: three (t_conv) or two (d_conv), a ReLU between them.
class ChainImpl : public nn::Module {
 public:
  ChainImpl(int inputs, int outputs, int count)
      : chain_(register_module(count == 3 ? "t_conv" : "d_conv", convolution_chain(inputs, outputs, count, false))) {}
  torch::Tensor forward(const torch::Tensor& x) { return chain_->forward(x); }

 private:
  nn::Sequential chain_;
};
TORCH_MODULE(Chain);

class LambdaNetImpl : public Network {
 public:
  explicit LambdaNetImpl(const ModelConfig& config) : Network(config) {
    const int c = config.bands;
    first_ = register_module("conv_in", same_convolution(c + 1, c, 3));
    for (int i = 0; i < kLevels; ++i) {
      down_.push_back(
          register_module(fmt::format("conv_down{}", i + 1), Chain(i == 0 ? c : 16 << i, 32 << i, i >= 4 ? 2 : 3)));
    }
    for (int i = 0; i + 1 < kLevels; ++i) {
      up_.push_back(register_module(fmt::format("upsample{}", i + 1), upsampling(64 << i, 32 << i)));
      join_.push_back(register_module(fmt::format("conv_up{}", i + 1), Chain(64 << i, 32 << i, i >= 4 ? 2 : 3)));
    }
    attention_ = register_module("attention", LambdaAttention(128, 16));
    last1_ = register_module("conv_last1", same_convolution(32, 6, 3));
    last2_ = register_module("conv_last2", same_convolution(38, 32, 3));
    last3_ = register_module("conv_last3", same_convolution(32, 12, 3));
    last4_ = register_module("conv_last4", same_convolution(44, 32, 3));
    last5_ = register_module("conv_last5", same_convolution(32, c, 1));
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override {
    const int step = config().step;
    const auto masks = masks_on_detector(mask, config().bands, step);
    const auto y = detector_of(measurement, step).unsqueeze(1);
    const auto base = pad_to_multiple(first_->forward(torch::cat({y, masks}, 1)), kUnit);
    auto x = base;
    std::vector<torch::Tensor> skips;
    for (std::size_t i = 0; i < kLevels; ++i) {
      x = down_[i]->forward(i == 0 ? x : torch::max_pool2d(x, 2));
      skips.push_back(x);
    }
    for (std::size_t i = kLevels - 1; i-- > 0;) {
      x = join_[i]->forward(torch::cat({up_[i]->forward(x), skips[i]}, 1));
      if (i == 2) x = attention_->forward(x);
    }
    x = last2_->forward(torch::cat({x, torch::relu(last1_->forward(x))}, 1));
    x = last4_->forward(torch::cat({x, torch::relu(last3_->forward(x))}, 1));
    x = last5_->forward(x) + base;
    x = x.slice(2, 0, y.size(2)).slice(3, 0, y.size(3));
    return {shift_back_bands(x, measurement.size(3), step), {}};
  }

 private:
  nn::Conv2d first_{nullptr}, last1_{nullptr}, last2_{nullptr}, last3_{nullptr}, last4_{nullptr}, last5_{nullptr};
  std::vector<Chain> down_, join_;
  std::vector<nn::ConvTranspose2d> up_;
  LambdaAttention attention_{nullptr};
};

const AnnounceNet kAnnounced("lambda-net",
                             [](const ModelConfig& config) { return std::make_shared<LambdaNetImpl>(config); });

}  // namespace

}  // namespace snapcube::nets
