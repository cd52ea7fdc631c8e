// HDNet: residual blocks around an attention over pixels and channels (SDL) and a gate for each group of channels
// (EFF).

#include <algorithm>

#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;
constexpr int kWide = 64;

/// x + 3×3(ReLU(3×3(x)))
class ResidualImpl : public nn::Module {
 public:
  ResidualImpl() : body_(register_module("body", convolution_chain(kWide, kWide, 2, false))) {}
  torch::Tensor forward(const torch::Tensor& x) { return x + body_->forward(x); }

 private:
  nn::Sequential body_;
};
TORCH_MODULE(Residual);

/// x·sigmoid(up(V·softmax(q))) + x·sigmoid(softmax(mean(g)·θ)), softmax over pixels
class SdlImpl : public nn::Module {
 public:
  SdlImpl() {
    const auto convolution = [&](const char* name, int inputs, int outputs) {
      return register_module(name, same_convolution(inputs, outputs, 1, false));
    };
    q_right_ = convolution("conv_q_right", kWide, 1);
    v_right_ = convolution("conv_v_right", kWide, kWide / 2);
    up_ = convolution("conv_up", kWide / 2, kWide);
    q_left_ = convolution("conv_q_left", kWide, kWide / 2);
    v_left_ = convolution("conv_v_left", kWide, kWide / 2);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto q = torch::softmax(q_right_->forward(x).flatten(2), 2);                      // [batch, 1, pixels]
    const auto pooled = torch::matmul(v_right_->forward(x).flatten(2), q.transpose(1, 2));  // [batch, 32, 1]
    const auto channels = torch::sigmoid(up_->forward(pooled.unsqueeze(3)));
    const auto mean = q_left_->forward(x).flatten(2).mean(2, true).transpose(1, 2);  // [batch, 1, 32]
    const auto scores = torch::matmul(mean, v_left_->forward(x).flatten(2));         // [batch, 1, pixels]
    const auto pixels = torch::sigmoid(torch::softmax(scores, 2)).view({x.size(0), 1, x.size(2), x.size(3)});
    return x * channels + x * pixels;
  }

 private:
  nn::Conv2d q_right_{nullptr}, v_right_{nullptr}, up_{nullptr}, q_left_{nullptr}, v_left_{nullptr};
};
TORCH_MODULE(Sdl);

class SubspaceImpl : public nn::Module {
 public:
  static constexpr int kChannels = kWide / 4;
  SubspaceImpl() {
    depthwise_ = register_module("conv_dws", depthwise_convolution(kChannels, 1));
    norm_ = register_module("bn_dws", nn::BatchNorm2d(kChannels));
    point_ = register_module("conv_point", same_convolution(kChannels, 1, 1));
    point_norm_ = register_module("bn_point", nn::BatchNorm2d(1));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto gate = torch::relu(norm_->forward(depthwise_->forward(x)));
    gate = torch::max_pool2d(gate, 3, 1, 1);
    gate = torch::relu(point_norm_->forward(point_->forward(gate)));
    return x + torch::softmax(gate.flatten(2), 2).view_as(gate) * x;
  }

 private:
  nn::Conv2d depthwise_{nullptr}, point_{nullptr};
  nn::BatchNorm2d norm_{nullptr}, point_norm_{nullptr};
};
TORCH_MODULE(Subspace);

class EffImpl : public nn::Module {
 public:
  EffImpl() : subspaces_(register_module("subspaces", nn::ModuleList())) {
    for (int i = 0; i < 4; ++i) subspaces_->push_back(Subspace());
  }
  torch::Tensor forward(const torch::Tensor& x) {
    auto groups = x.chunk(4, 1);
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i] = subspaces_->at<SubspaceImpl>(i).forward(groups[i]);
    return torch::cat(groups, 1);
  }

 private:
  nn::ModuleList subspaces_;
};
TORCH_MODULE(Eff);

/// A 4×4 grid of patches, the two-dimensional spectra of each averaged over the batch. |Δ|² is weighted by its own
/// log(1 + |Δ|²) relative to the largest of the patch and band: what is worst counts most.
torch::Tensor spectral_loss(const torch::Tensor& cube, const torch::Tensor& truth) {
  constexpr std::int64_t kGrid = 4;
  const auto spectra = [](const torch::Tensor& x) {
    const auto height = x.size(2) / kGrid;
    const auto width = x.size(3) / kGrid;
    const auto patches = x.slice(2, 0, kGrid * height)
                             .slice(3, 0, kGrid * width)
                             .reshape({x.size(0), x.size(1), kGrid, height, kGrid, width})
                             .permute({0, 2, 4, 1, 3, 5});
    return torch::view_as_real(torch::fft_fft2(patches, c10::nullopt, {-2, -1}, "ortho")).mean(0);
  };
  const auto square = (spectra(cube) - spectra(truth)).square().sum(-1);
  auto weight = torch::log1p(square.detach());
  weight = weight / weight.amax({-2, -1}, true).clamp_min(1e-20);
  return (weight * square).mean();
}

class HdnetImpl : public Network {
 public:
  explicit HdnetImpl(const ModelConfig& config) : Network(config) {
    head_ = register_module("head", nn::Sequential(same_convolution(config.bands, kWide, 3)));
    body_ = register_module("body", nn::Sequential());
    for (int i = 0; i < 16; ++i) body_->push_back(Residual());
    body_->push_back(Sdl());
    body_->push_back(Eff());
    for (int i = 0; i < 15; ++i) body_->push_back(Residual());
    body_->push_back(same_convolution(kWide, kWide, 3));
    tail_ = register_module("tail", nn::Sequential(same_convolution(kWide, config.bands, 3)));
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& /*mask*/) override {
    const auto feature = head_->forward(measurement);
    return {tail_->forward(body_->forward(feature) + feature), {}};
  }

  torch::Tensor loss(const Output& output, const torch::Tensor& truth, bool l1) const override {
    constexpr double kSpectralWeight = 0.7 * 0.7;
    return Network::loss(output, truth, l1) + kSpectralWeight * spectral_loss(output.cube, truth);
  }

 private:
  nn::Sequential head_{nullptr}, body_{nullptr}, tail_{nullptr};
};

const AnnounceNet kAnnounced("hdnet", [](const ModelConfig& config) { return std::make_shared<HdnetImpl>(config); });

}  // namespace

}  // namespace snapcube::nets
