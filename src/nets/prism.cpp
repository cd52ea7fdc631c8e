// Prism (docs/prism.md): stages of an exact data step and a learnt denoiser, for any camera.

#include <fmt/format.h>

#include "models/prism_form.h"
#include "nets/data_step.h"
#include "nets/detector.h"
#include "nets/fast_layers.h"
#include "nets/layers.h"
#include "nets/network.h"
#include "nets/planes.h"
#include "optics/band_grid.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

/// The layers as libtorch has them, or on the project's kernels.
class Layers {
 public:
  explicit Layers(bool fast) : fast_(fast) {}

  torch::Tensor convolve(const torch::Tensor& x, nn::Conv2dImpl& layer) const {
    return fast_ ? fast_convolution(x, layer) : layer.forward(x);
  }
  torch::Tensor gelu(const torch::Tensor& x) const { return fast_ ? fast_gelu(x) : torch::gelu(x); }
  torch::Tensor upsample(const torch::Tensor& x, nn::ConvTranspose2dImpl& layer) const {
    return fast_ ? fast_upsampling(x, layer) : layer.forward(x);
  }
  torch::Tensor data(const DataTerm& term, const torch::Tensor& x, const torch::Tensor& eta,
                     const torch::Tensor& mu) const {
    return fast_ ? fast_data_step(term, x, eta, mu) : data_step(term, x, eta, mu);
  }

 private:
  bool fast_;
};

/// x + W₂·GELU(W₁·x), both 3×3; `count` of them.
class BlocksImpl : public nn::Module {
 public:
  BlocksImpl(int count, int channels) {
    for (int i = 0; i < count; ++i) {
      blocks_.push_back(
          register_module(std::to_string(i), nn::ModuleList(same_convolution(channels, channels, 3, false),
                                                            same_convolution(channels, channels, 3, false))));
    }
  }
  torch::Tensor forward(torch::Tensor x, const Layers& layers) {
    for (auto& block : blocks_) {
      const auto inside = layers.gelu(layers.convolve(x, block->at<nn::Conv2dImpl>(0)));
      x = x + layers.convolve(inside, block->at<nn::Conv2dImpl>(1));
    }
    return x;
  }

 private:
  std::vector<nn::ModuleList> blocks_;
};
TORCH_MODULE(Blocks);

class StageImpl : public nn::Module {
 public:
  StageImpl(int channels, int inputs) {
    eta_ = register_parameter("eta", torch::full({1}, kPrismEta));
    mu_ = register_parameter("mu", torch::full({1}, std::log(kPrismMu)));
    input_ = register_module("input", same_convolution(inputs * channels, channels, 1, false));
    auto down = register_module("down", nn::ModuleList());
    auto halve = register_module("halve", nn::ModuleList());
    auto twice = register_module("double", nn::ModuleList());
    auto up = register_module("up", nn::ModuleList());
    for (int l = 0; l < kPrismLevels; ++l) {
      const int wide = channels << l;
      down_.emplace_back(kPrismBlocksDown[static_cast<std::size_t>(l)], wide);
      down->push_back(down_.back());
      if (l + 1 == kPrismLevels) break;
      halve_.emplace_back(nn::Conv2dOptions(wide, 2 * wide, 4).stride(2).padding(1).bias(false));
      halve->push_back(halve_.back());
      double_.push_back(upsampling(2 * wide, wide));
      twice->push_back(double_.back());
      up_.emplace_back(kPrismBlocksUp[static_cast<std::size_t>(l)], wide);
      up->push_back(up_.back());
    }
    output_ = register_module("output", same_convolution(channels, channels, 3, false));
    // Untrained, the network is what its data steps make of it.
    nn::init::zeros_(output_->weight);
  }

  /// The cube behind the data step.
  torch::Tensor data(const DataTerm& term, const torch::Tensor& x, const Layers& layers) {
    return layers.data(term, x, eta_, mu_.exp());
  }

  struct Result {
    torch::Tensor change;   ///< what the cube is to be changed by
    torch::Tensor feature;  ///< for the next stage
  };
  Result denoise(const torch::Tensor& inputs, const Layers& layers) {
    auto x = layers.convolve(inputs, *input_);
    std::vector<torch::Tensor> skips;
    for (std::size_t l = 0; l < down_.size(); ++l) {
      x = down_[l]->forward(x, layers);
      if (l + 1 == down_.size()) break;
      skips.push_back(x);
      x = layers.convolve(x, *halve_[l]);
    }
    for (std::size_t l = up_.size(); l-- > 0;) {
      x = layers.upsample(x, *double_[l]) + skips[l];
      x = up_[l]->forward(x, layers);
    }
    return {layers.convolve(x, *output_), x};
  }

 private:
  torch::Tensor eta_, mu_;  ///< η, and the logarithm of μ
  nn::Conv2d input_{nullptr}, output_{nullptr};
  std::vector<Blocks> down_, up_;
  std::vector<nn::Conv2d> halve_;
  std::vector<nn::ConvTranspose2d> double_;
};
TORCH_MODULE(Stage);

torch::Tensor matrix_of(const std::vector<float>& values, int rows) { return torch::tensor(values).view({rows, -1}); }

class PrismImpl : public Network {
 public:
  PrismImpl(const ModelConfig& config, int stages) : Network(config) {
    auto list = register_module("stages", nn::ModuleList());
    for (int i = 0; i < stages; ++i) {
      stages_.emplace_back(config.bands, i == 0 ? kPrismFirstInputs : kPrismInputs);
      list->push_back(stages_.back());
    }
    error_ = register_module("error", same_convolution(config.bands, 1, 1));
  }

  void use_kernels(bool on) override { use_kernels_ = on; }
  bool takes_captures() const override { return true; }

  /// For the camera of the configuration.
  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override {
    const auto bands = measurement.size(1);
    const auto y = detector_of(measurement, config().step) * (static_cast<double>(bands) / 2);
    std::vector<double> positions;
    for (const auto column : band_columns(bands, config().step)) positions.push_back(static_cast<double>(column));
    std::vector<Output> outputs;
    for (std::int64_t i = 0; i < measurement.size(0); ++i) {
      outputs.push_back(
          forward_capture({y[i], mask[i].unsqueeze(0).expand({bands, mask.size(1), mask.size(2)}), {}, positions}));
    }
    return joined(outputs);
  }

  Output forward_capture(const Capture& capture) override {
    const DataTerm term = data_term(capture);
    const Layers layers(use_kernels_ && is_for_kernels(capture.measurement));
    const BandGrid grid = band_grid(capture.positions, config().bands);
    const auto to_channels = matrix_of(grid.to_channels, grid.channels);
    const auto to_bands = matrix_of(grid.to_bands, grid.bands);
    const auto resampled = [&](const torch::Tensor& x, const torch::Tensor& matrix) {
      return grid.is_identity ? x : torch::einsum("cb,nbhw->nchw", {matrix, x});
    };
    const auto height = capture.masks.size(1);
    const auto width = capture.masks.size(2);
    const auto whole = [&](const torch::Tensor& x) { return x.slice(2, 0, height).slice(3, 0, width); };

    auto x = smeared(term);
    const auto maps = torch::cat({resampled(shares(term), to_channels), resampled(x, to_channels)}, 1);
    Output output;
    torch::Tensor feature;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      const auto before = x;
      x = stages_[i]->data(term, x, layers);
      std::vector<torch::Tensor> inputs = {resampled(x, to_channels), maps};
      if (i > 0) inputs.insert(inputs.begin() + 1, {resampled(before, to_channels), whole(feature)});
      const auto result = stages_[i]->denoise(pad_to_multiple(torch::cat(inputs, 1), 1 << (kPrismLevels - 1)), layers);
      feature = result.feature;
      x = x + resampled(whole(result.change), to_bands);
      output.earlier.push_back(x * term.brightness);
    }
    output.cube = output.earlier.back();
    output.earlier.pop_back();
    // What it learns of its errors does not change the cube.
    output.error_map = whole(torch::softplus(error_->forward(feature.detach()))).select(1, 0) * term.brightness;
    return output;
  }

  torch::Tensor loss(const Output& output, const torch::Tensor& truth, bool l1) const override {
    auto loss = Network::loss(output, truth, l1);
    for (const auto& cube : output.earlier) {
      loss = loss +
             kPrismEarlierLoss / static_cast<double>(output.earlier.size()) * Network::loss({cube, {}, {}}, truth, l1);
    }
    const auto error = (output.cube.detach() - truth).abs().mean(1);
    return loss + kPrismErrorLoss * torch::mse_loss(output.error_map, error).sqrt();
  }

 private:
  /// y/(Φ1), shifted back: the measurement without the mask's holes, smeared along the dispersion.
  static torch::Tensor smeared(const DataTerm& term) { return nets::shift_back(term.capture, term.level).unsqueeze(0); }
  /// m²/(ΦΦᵀ), shifted back, of which half a band has 1 on the average.
  static torch::Tensor shares(const DataTerm& term) {
    const auto& masks = term.capture.masks;
    const auto inverse =
        torch::where(term.diagonal > kDark * term.scale, 1 / term.diagonal, torch::zeros_like(term.diagonal));
    return (masks * masks * nets::shift_back(term.capture, inverse) * (static_cast<double>(masks.size(0)) / 2))
        .unsqueeze(0);
  }
  /// Below this part of the mean, a detector pixel has nothing to share.
  static constexpr double kDark = 1e-3;

  std::vector<Stage> stages_;
  nn::Conv2d error_{nullptr};
  bool use_kernels_ = false;
};

AnnounceNet announce(const PrismForm& form) {
  return {form.name, [&form](const ModelConfig& config) { return std::make_shared<PrismImpl>(config, form.stages); }};
}
[[maybe_unused]] const std::array kAnnounced = {announce(kPrismForms[0]), announce(kPrismForms[1])};

}  // namespace

}  // namespace snapcube::nets
