// TSA-Net: a U-net whose decoder attends along rows, columns and bands, each by a small matrix.

#include <fmt/format.h>

#include "models/tsa_form.h"
#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

nn::Sequential with_relu(nn::Conv2d convolution) { return nn::Sequential(std::move(convolution), nn::ReLU()); }
nn::Sequential with_norm_and_relu(nn::Conv2d convolution, int channels) {
  return nn::Sequential(std::move(convolution), nn::BatchNorm2d(channels), nn::ReLU());
}

/// Four chunks of channels, each of the first three convolved after the one before it was added.
class Res2NetImpl : public nn::Module {
 public:
  Res2NetImpl(int channels, int width) {
    first_ = register_module("conv_init", same_convolution(channels, 4 * width, 1, false));
    first_norm_ = register_module("bn_init", nn::BatchNorm2d(4 * width));
    convolutions_ = register_module("convs", nn::ModuleList());
    norms_ = register_module("bns", nn::ModuleList());
    for (int i = 0; i < 3; ++i) {
      convolutions_->push_back(same_convolution(width, width, 3, false));
      norms_->push_back(nn::BatchNorm2d(width));
    }
    last_ = register_module("conv_end", same_convolution(4 * width, channels, 1, false));
    last_norm_ = register_module("bn_end", nn::BatchNorm2d(channels));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto parts = torch::relu(first_norm_->forward(first_->forward(x))).chunk(4, 1);
    for (std::size_t i = 0; i < 3; ++i) {
      const auto input = i == 0 ? parts[0] : parts[i - 1] + parts[i];
      parts[i] =
          torch::relu(norms_->at<nn::BatchNorm2dImpl>(i).forward(convolutions_->at<nn::Conv2dImpl>(i).forward(input)));
    }
    return last_norm_->forward(last_->forward(torch::cat(parts, 1)));
  }

 private:
  nn::Conv2d first_{nullptr}, last_{nullptr};
  nn::BatchNorm2d first_norm_{nullptr}, last_norm_{nullptr};
  nn::ModuleList convolutions_, norms_;
};
TORCH_MODULE(Res2Net);

class DownImpl : public nn::Module {
 public:
  DownImpl(int inputs, int outputs, bool res2net) {
    first_ = register_module("layer1", with_relu(same_convolution(inputs, outputs, 3)));
    if (res2net) {
      wide_ = register_module("layer2", Res2Net(outputs, outputs / 4));
    } else {
      second_ = register_module("layer2", with_relu(same_convolution(outputs, outputs, 3)));
    }
  }
  torch::Tensor forward(torch::Tensor x) {
    x = first_->forward(x);
    return wide_.is_empty() ? second_->forward(x) : wide_->forward(x);
  }

 private:
  nn::Sequential first_{nullptr}, second_{nullptr};
  Res2Net wide_{nullptr};
};
TORCH_MODULE(Down);

class UpImpl : public nn::Module {
 public:
  explicit UpImpl(int channels) {
    first_ = register_module("layer1", nn::Sequential(upsampling(2 * channels, channels), nn::ReLU()));
    second_ = register_module("layer2", Res2Net(2 * channels, channels / 2));
    third_ = register_module("layer3", with_relu(same_convolution(2 * channels, channels, 3)));
  }
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& skip) {
    return third_->forward(second_->forward(torch::cat({first_->forward(x), skip}, 1)));
  }

 private:
  nn::Sequential first_{nullptr}, third_{nullptr};
  Res2Net second_{nullptr};
};
TORCH_MODULE(Up);

/// Queries or keys along one spatial axis: [batch, C, H, W] to [batch, heads, H', width], the map's rows as tokens.
class SpatialTokensImpl : public nn::Module {
 public:
  explicit SpatialTokensImpl(const TsaTransformForm& form) {
    for (std::size_t i = 0; i < 2; ++i) {
      const bool halves = form.mode[i];
      const auto options = nn::Conv2dOptions(i == 0 ? form.outputs : kTsaHeads, kTsaHeads, {halves ? 3 : 1, 5})
                               .stride({halves ? 2 : 1, 2})
                               .padding({halves ? 1 : 0, 2});
      convolutions_[i] =
          register_module(fmt::format("conv{}", i + 1), with_norm_and_relu(nn::Conv2d(options), kTsaHeads));
    }
    linear_ = register_module("fully", nn::Sequential(nn::Linear(form.size / 4, form.spatial_width), nn::ReLU()));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    return linear_->forward(convolutions_[1]->forward(convolutions_[0]->forward(x)));
  }

 private:
  std::array<nn::Sequential, 2> convolutions_ = {nullptr, nullptr};
  nn::Sequential linear_{nullptr};
};
TORCH_MODULE(SpatialTokens);

/// The bands as tokens: [batch, C, H, W] to [batch, heads, C, width].
class SpectralTokensImpl : public nn::Module {
 public:
  explicit SpectralTokensImpl(const TsaTransformForm& form) : width_(form.spectral_width) {
    int side = form.size;
    for (std::size_t i = 0; i < 2; ++i) {
      side = (side - 5) / 2 + 1;
      convolutions_[i] = register_module(
          fmt::format("conv{}", i + 1),
          with_norm_and_relu(nn::Conv2d(nn::Conv2dOptions(form.outputs, form.outputs, 5).stride(2)), form.outputs));
    }
    linear_ = register_module("fully", nn::Sequential(nn::Linear(side * side, kTsaHeads * width_), nn::ReLU()));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto tokens = linear_->forward(convolutions_[1]->forward(convolutions_[0]->forward(x)).flatten(2));
    return tokens.view({x.size(0), x.size(1), kTsaHeads, width_}).permute({0, 2, 1, 3});
  }

 private:
  int width_;
  std::array<nn::Sequential, 2> convolutions_ = {nullptr, nullptr};
  nn::Sequential linear_{nullptr};
};
TORCH_MODULE(SpectralTokens);

torch::Tensor scores(const torch::Tensor& query, const torch::Tensor& key) {
  const double scale = 1 / std::sqrt(static_cast<double>(query.size(3)));
  return torch::softmax(torch::matmul(query, key.transpose(2, 3)) * scale, 3);
}

class TransformImpl : public nn::Module {
 public:
  explicit TransformImpl(TsaTransformForm form) : form_(std::move(form)) {
    const int c = form_.outputs;
    for (const bool halves : form_.mode) {
      if (!halves) continue;
      if (down_.is_empty()) down_ = register_module("down_sample", nn::ModuleList());
      const int wide = c * ratio_;
      down_->push_back(
          with_norm_and_relu(nn::Conv2d(nn::Conv2dOptions(wide, 2 * wide, 3).stride(2).padding(1)), 2 * wide));
      ratio_ *= 2;
    }
    if (ratio_ > 1) up_ = register_module("up_sample", upsampling(c * ratio_, c, ratio_));
    preproc_ =
        register_module("preproc", nn::Sequential(same_convolution(form_.inputs, c, 1, false), nn::BatchNorm2d(c)));
    query_x_ = register_module("query_x", SpatialTokens(form_));
    query_y_ = register_module("query_y", SpatialTokens(form_));
    query_lambda_ = register_module("query_lambda", SpectralTokens(form_));
    key_x_ = register_module("key_x", SpatialTokens(form_));
    key_y_ = register_module("key_y", SpatialTokens(form_));
    key_lambda_ = register_module("key_lambda", SpectralTokens(form_));
    value_ = register_module(
        "value", nn::Sequential(same_convolution(c, kTsaHeads * c, 1, false), nn::BatchNorm2d(kTsaHeads * c)));
    aggregation_ = register_module("aggregation", nn::Linear(kTsaHeads * c, c));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const auto f = preproc_->forward(x);
    const auto turned = f.transpose(2, 3);
    const auto rows = scores(query_x_->forward(f), key_x_->forward(f));
    const auto columns = scores(query_y_->forward(turned), key_y_->forward(turned));
    auto bands = scores(query_lambda_->forward(f), key_lambda_->forward(f));
    if (form_.spectral_mask) bands = (bands + spectral_mask(f)) / std::sqrt(static_cast<double>(kTsaMaskScale));

    const auto batch = f.size(0);
    const auto c = f.size(1);
    auto v = value_->forward(f).view({batch * kTsaHeads, c, f.size(2), f.size(3)});
    if (!down_.is_empty()) {
      for (const auto& layer : *down_) v = layer->as<nn::SequentialImpl>()->forward(v);
    }
    // Every channel of a head: A_x·(V·A_yᵀ).
    v = v.view({batch, kTsaHeads, v.size(1), v.size(2), v.size(3)});
    v = torch::matmul(rows.unsqueeze(2), torch::matmul(v, columns.transpose(2, 3).unsqueeze(2)));
    if (!up_.is_empty()) v = up_->forward(v.flatten(0, 1)).view({batch, kTsaHeads, c, f.size(2), f.size(3)});
    v = torch::matmul(bands, v.flatten(3)).view({batch, kTsaHeads * c, f.size(2), f.size(3)});
    return f + aggregation_->forward(v.permute({0, 2, 3, 1})).permute({0, 3, 1, 2});
  }

 private:
  torch::Tensor spectral_mask(const torch::Tensor& like) const {
    auto values = tsa_spectral_mask(form_.outputs);
    return torch::from_blob(values.data(), {form_.outputs, form_.outputs}).to(like.options(), false, true);
  }

  TsaTransformForm form_;
  int ratio_ = 1;
  nn::ModuleList down_{nullptr};
  nn::ConvTranspose2d up_{nullptr};
  nn::Sequential preproc_{nullptr}, value_{nullptr};
  SpatialTokens query_x_{nullptr}, query_y_{nullptr}, key_x_{nullptr}, key_y_{nullptr};
  SpectralTokens query_lambda_{nullptr}, key_lambda_{nullptr};
  nn::Linear aggregation_{nullptr};
};
TORCH_MODULE(Transform);

class TsaNetImpl : public Network {
 public:
  explicit TsaNetImpl(const ModelConfig& config) : Network(config) {
    for (int i = 1; i <= 4; ++i) {
      down_.push_back(
          register_module(fmt::format("tconv_down{}", i), Down(i == 1 ? config.bands : 16 << i, 32 << i, i > 2)));
    }
    bottom1_ = register_module("bottom1", with_relu(same_convolution(512, 1024, 3)));
    bottom2_ = register_module("bottom2", with_relu(same_convolution(1024, 1024, 3)));
    for (int i = 1; i <= 4; ++i) up_.push_back(register_module(fmt::format("tconv_up{}", i), Up(32 << i)));
    for (TsaTransformForm& form : tsa_transforms(config.bands)) {
      const std::string name = form.name;
      transforms_.insert(transforms_.begin(), register_module(name, Transform(std::move(form))));  // from 1 to 3
    }
    last_ = register_module("conv_last", same_convolution(config.bands, config.bands, 1));
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override {
    auto x = measurement * mask.unsqueeze(1);
    std::vector<torch::Tensor> skips;
    for (auto& stage : down_) {
      skips.push_back(stage->forward(x));
      x = torch::max_pool2d(skips.back(), 2);
    }
    x = bottom2_->forward(bottom1_->forward(x));
    for (std::size_t i = up_.size(); i-- > 0;) {
      x = up_[i]->forward(x, skips[i]);
      if (i < transforms_.size()) x = transforms_[i]->forward(x);
    }
    return {torch::sigmoid(last_->forward(x)), {}};
  }

 private:
  std::vector<Down> down_;
  std::vector<Up> up_;
  std::vector<Transform> transforms_;
  nn::Sequential bottom1_{nullptr}, bottom2_{nullptr};
  nn::Conv2d last_{nullptr};
};

const AnnounceNet kAnnounced("tsa-net", [](const ModelConfig& config) { return std::make_shared<TsaNetImpl>(config); });

}  // namespace

}  // namespace snapcube::nets
