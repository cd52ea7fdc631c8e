// MST: attention between bands, whose values are weighted by what the mask lets through.

#include <algorithm>

#include "models/mst_form.h"
#include "nets/detector.h"
#include "nets/feed_forward.h"
#include "nets/layers.h"
#include "nets/network.h"
#include "nets/spectral_attention.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

/// The mask's branch: m = 1×1(Φ), m + m·sigmoid(5×5(1×1(m))), then every channel moved to where its band is.
class MaskGuideImpl : public nn::Module {
 public:
  explicit MaskGuideImpl(int channels) {
    first_ = register_module("conv1", same_convolution(channels, channels, 1));
    second_ = register_module("conv2", same_convolution(channels, channels, 1));
    depthwise_ = register_module("depth_conv", depthwise_convolution(channels, 5));
  }
  /// masks: [batch, C, H, W'], at stage i. Channel c moves left by floor(c·step/4^i).
  torch::Tensor forward(const torch::Tensor& masks, std::int64_t width, int step, int stage) {
    auto m = first_->forward(masks);
    m = m + m * torch::sigmoid(depthwise_->forward(second_->forward(m)));
    std::vector<torch::Tensor> moved;
    for (std::int64_t c = 0; c < m.size(1); ++c) {
      const std::int64_t channel = step >= 0 ? c : m.size(1) - 1 - c;
      // Halving rounds down: for some steps the last channels would reach beyond the right edge.
      const std::int64_t start = std::min(channel * std::abs(step) >> (2 * stage), m.size(3) - width);
      moved.push_back(m.select(1, c).slice(2, start, start + width));
    }
    return torch::stack(moved, 1);
  }

 private:
  nn::Conv2d first_{nullptr}, second_{nullptr}, depthwise_{nullptr};
};
TORCH_MODULE(MaskGuide);

class MsMsaImpl : public SpectralAttentionImpl {
 public:
  MsMsaImpl(int channels, int heads)
      : SpectralAttentionImpl(channels, heads, channels), guide_(register_module("mm", MaskGuide(channels))) {}

  /// x: [batch, H, W, C].
  torch::Tensor forward_guided(const torch::Tensor& x, const torch::Tensor& masks, int step, int stage) {
    const auto v = values(x);
    const auto guide = guide_->forward(masks, x.size(2), step, stage).permute({0, 2, 3, 1});
    return mixed(x, v * guide) + places(v);
  }

 private:
  MaskGuide guide_;
};
TORCH_MODULE(MsMsa);

/// x += MS-MSA(x); x += FFN(LayerNorm(x)), several times.
class MsabImpl : public nn::Module {
 public:
  MsabImpl(int channels, int heads, int blocks) : blocks_(register_module("blocks", nn::ModuleList())) {
    for (int i = 0; i < blocks; ++i) {
      blocks_->push_back(nn::ModuleList(MsMsa(channels, heads),
                                        std::make_shared<PreNormImpl<FeedForward>>(channels, FeedForward(channels))));
    }
  }
  torch::Tensor forward(const torch::Tensor& map, const torch::Tensor& masks, int step, int stage) {
    auto x = map.permute({0, 2, 3, 1});
    for (const auto& block : *blocks_) {
      auto& parts = *block->as<nn::ModuleListImpl>();
      x = x + parts.at<MsMsaImpl>(0).forward_guided(x, masks, step, stage);
      x = x + parts.at<PreNormImpl<FeedForward>>(1).forward(x);
    }
    return x.permute({0, 3, 1, 2});
  }

 private:
  nn::ModuleList blocks_;
};
TORCH_MODULE(Msab);

class MstImpl : public Network {
 public:
  MstImpl(const ModelConfig& config, const std::array<int, 3>& blocks) : Network(config) {
    const int c = config.bands;
    const auto half = [](int channels) {
      return nn::Conv2d(nn::Conv2dOptions(channels, 2 * channels, 4).stride(2).padding(1).bias(false));
    };
    embedding_ = register_module("embedding", same_convolution(c, c, 3, false));
    encoder_ = register_module("encoder_layers", nn::ModuleList());
    decoder_ = register_module("decoder_layers", nn::ModuleList());
    for (int i = 0; i < 2; ++i) {
      const int wide = c << i;
      encoder_->push_back(
          nn::ModuleList(Msab(wide, 1 << i, blocks[static_cast<std::size_t>(i)]), half(wide), half(wide)));
    }
    bottleneck_ = register_module("bottleneck", Msab(4 * c, 4, blocks[2]));
    for (int stage = 1; stage >= 0; --stage) {
      const int wide = c << stage;
      decoder_->push_back(nn::ModuleList(upsampling(2 * wide, wide), same_convolution(2 * wide, wide, 1, false),
                                         Msab(wide, 1 << stage, blocks[static_cast<std::size_t>(stage)])));
    }
    mapping_ = register_module("mapping", same_convolution(c, c, 3, false));
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override {
    const int step = config().step;
    auto masks = masks_on_detector(mask, config().bands, step);
    auto x = torch::leaky_relu(embedding_->forward(measurement), 0.1);
    std::vector<torch::Tensor> skips;
    std::vector<torch::Tensor> guides;
    for (int i = 0; i < 2; ++i) {
      auto& stage = *encoder_->ptr<nn::ModuleListImpl>(static_cast<std::size_t>(i));
      x = stage.at<MsabImpl>(0).forward(x, masks, step, i);
      skips.push_back(x);
      guides.push_back(masks);
      x = stage.at<nn::Conv2dImpl>(1).forward(x);
      masks = stage.at<nn::Conv2dImpl>(2).forward(masks);
    }
    x = bottleneck_->forward(x, masks, step, 2);
    for (int i = 0; i < 2; ++i) {
      auto& stage = *decoder_->ptr<nn::ModuleListImpl>(static_cast<std::size_t>(i));
      const auto at = static_cast<std::size_t>(1 - i);
      x = stage.at<nn::ConvTranspose2dImpl>(0).forward(x);
      x = stage.at<nn::Conv2dImpl>(1).forward(torch::cat({x, skips[at]}, 1));
      x = stage.at<MsabImpl>(2).forward(x, guides[at], step, 1 - i);
    }
    return {mapping_->forward(x) + measurement, {}};
  }

 private:
  nn::Conv2d embedding_{nullptr}, mapping_{nullptr};
  nn::ModuleList encoder_, decoder_;
  Msab bottleneck_{nullptr};
};

AnnounceNet announce(const MstForm& form) {
  return {form.name,
          [blocks = form.blocks](const ModelConfig& config) { return std::make_shared<MstImpl>(config, blocks); }};
}
[[maybe_unused]] const std::array kAnnounced = {announce(kMstForms[0]), announce(kMstForms[1]), announce(kMstForms[2])};

}  // namespace

}  // namespace snapcube::nets
