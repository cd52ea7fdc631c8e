// DGSMP: four steps x ← x − 2δ(R1 + R2), R1 = Aᵀ(y − A x) with learned A, R2 = w·(x − u), u filtered from x by filters
// that a U-net makes for every pixel.

#include <fmt/format.h>

#include "nets/detector.h"
#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;
namespace F = torch::nn::functional;
constexpr int kStages = 4;
constexpr int kTaps = 7;
constexpr int kHalfTaps = kTaps / 2;
constexpr int kUnit = 16;  ///< four halvings

/// t = x + b₁(x), then t + b₂(t)
class DoubleResidualImpl : public nn::Module {
 public:
  explicit DoubleResidualImpl(int channels) {
    first_ = register_module("block1", convolution_chain(channels, channels, 2, false));
    second_ = register_module("block2", convolution_chain(channels, channels, 2, false));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto t = x + first_->forward(x);
    return t + second_->forward(t);
  }

 private:
  nn::Sequential first_{nullptr}, second_{nullptr};
};
TORCH_MODULE(DoubleResidual);

nn::Sequential learned_operator(int bands) {
  const auto leaky = [] { return nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(0.01)); };
  return nn::Sequential(same_convolution(bands, 64, 3), leaky(), DoubleResidual(64), DoubleResidual(64),
                        same_convolution(64, bands, 3), leaky());
}

torch::Tensor twice_as_large(const torch::Tensor& x) {
  return F::interpolate(
      x,
      F::InterpolateFuncOptions().scale_factor(std::vector<double>{2, 2}).mode(torch::kBilinear).align_corners(false));
}

class EncodingImpl : public nn::Module {
 public:
  EncodingImpl() {
    constexpr std::array<int, 6> kChannels = {32, 32, 64, 64, 128, 128};
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      levels_[i] =
          register_module(fmt::format("E{}", i + 1), convolution_chain(kChannels[i], kChannels[i + 1], 2, true));
    }
  }
  std::array<torch::Tensor, 5> forward(torch::Tensor x) {
    std::array<torch::Tensor, 5> out;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      out[i] = levels_[i]->forward(i == 0 ? x : torch::avg_pool2d(out[i - 1], 2));
    }
    return out;
  }

 private:
  std::array<nn::Sequential, 5> levels_ = {nullptr, nullptr, nullptr, nullptr, nullptr};
};
TORCH_MODULE(Encoding);

class DecodingImpl : public nn::Module {
 public:
  explicit DecodingImpl(int bands) : bands_(bands) {
    constexpr std::array<std::array<int, 2>, 4> kChannels = {{{256, 128}, {192, 64}, {128, 64}, {96, 32}}};
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      levels_[i] =
          register_module(fmt::format("D{}", i + 1), convolution_chain(kChannels[i][0], kChannels[i][1], 2, true));
    }
    const auto generator = [&](const std::string& name, int inputs, int middle, int outputs) {
      return register_module(
          name, nn::Sequential(same_convolution(inputs, middle, 3), nn::ReLU(), same_convolution(middle, outputs, 3),
                               nn::ReLU(), same_convolution(outputs, outputs, 1)));
    };
    weight_ = generator("w_generator", 32, 32, bands);
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      filters_[i] = generator(fmt::format("filter_g_{}", i + 1), 96, kTaps * bands, kTaps * bands);
    }
  }

  struct Output {
    torch::Tensor weight;                  ///< [batch, bands, H, W]
    std::array<torch::Tensor, 3> filters;  ///< [batch, taps, bands, H, W], along W, H and the bands
  };
  Output forward(const std::array<torch::Tensor, 5>& e) {
    torch::Tensor last = e[4];
    torch::Tensor wide;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      wide = torch::cat({e[3 - i], twice_as_large(last)}, 1);
      last = levels_[i]->forward(wide);
    }
    Output out;
    out.weight = weight_->forward(last);
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const auto f = filters_[i]->forward(wide);
      out.filters[i] = F::normalize(f.view({f.size(0), kTaps, bands_, f.size(2), f.size(3)}),
                                    F::NormalizeFuncOptions().dim(1).eps(1e-12));
    }
    return out;
  }

 private:
  int bands_;
  std::array<nn::Sequential, 4> levels_ = {nullptr, nullptr, nullptr, nullptr};
  nn::Sequential weight_{nullptr};
  std::array<nn::Sequential, 3> filters_ = {nullptr, nullptr, nullptr};
};
TORCH_MODULE(Decoding);

/// Σ_k filter[k]·x at offset k − 3 along the axis, for x padded by three at both ends of it.
torch::Tensor filter_along(const torch::Tensor& padded, const torch::Tensor& filter, std::int64_t axis) {
  const auto size = filter.size(axis + 1);
  torch::Tensor sum;
  for (std::int64_t k = 0; k < kTaps; ++k) {
    const auto term = filter.select(1, k) * padded.slice(axis, k, k + size);
    sum = sum.defined() ? sum + term : term;
  }
  return sum;
}

torch::Tensor filtered(const torch::Tensor& x, const std::array<torch::Tensor, 3>& filters) {
  const auto replicated = [](const torch::Tensor& t, std::vector<std::int64_t> sides) {
    return F::pad(t, F::PadFuncOptions(sides).mode(torch::kReplicate));
  };
  auto u = filter_along(replicated(x, {kHalfTaps, kHalfTaps, 0, 0}), filters[0], 3);
  u = filter_along(replicated(u, {0, 0, kHalfTaps, kHalfTaps}), filters[1], 2);
  return filter_along(F::pad(u, F::PadFuncOptions({0, 0, 0, 0, kHalfTaps, kHalfTaps})), filters[2], 1);
}

class DgsmpImpl : public Network {
 public:
  explicit DgsmpImpl(const ModelConfig& config) : Network(config) {
    for (std::size_t i = 0; i < kStages; ++i) {
      delta_[i] = register_parameter(fmt::format("delta_{}", i), torch::full({1}, 0.1));
    }
    transposed_ = register_module("AT", learned_operator(config.bands));
    forward_ = register_module("A", learned_operator(config.bands));
    encoding_ = register_module("Encoding", Encoding());
    decoding_ = register_module("Decoding", Decoding(config.bands));
    feature_ = register_module("conv", same_convolution(config.bands, 32, 3));
    for (int i = 0; i < kStages; ++i) {
      join_[static_cast<std::size_t>(i)] =
          register_module(fmt::format("Den_con{}", i + 1), same_convolution(32 * (i + 1), 32, 1));
    }
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& /*mask*/) override {
    const int step = config().step;
    const auto bands = measurement.size(1);
    const auto height = measurement.size(2);
    const auto width = measurement.size(3);
    const auto y = detector_of(measurement, step);
    auto x = measurement;
    std::vector<torch::Tensor> features;
    for (std::size_t i = 0; i < kStages; ++i) {
      const auto error = on_detector(forward_->forward(x), step).sum(1) - y;
      const auto r1 = transposed_->forward(shift_back(error, bands, width, step));
      features.push_back(feature_->forward(x));
      // Frames of any size: the U-net works on a reflected one.
      const auto joined = pad_to_multiple(join_[i]->forward(torch::cat(features, 1)), kUnit);
      auto prior = decoding_->forward(encoding_->forward(joined));
      for (auto& f : prior.filters) f = f.slice(3, 0, height).slice(4, 0, width);
      const auto r2 = prior.weight.slice(2, 0, height).slice(3, 0, width) * (x - filtered(x, prior.filters));
      x = x - 2 * delta_[i] * (r1 + r2);
    }
    return {x, {}};
  }

 private:
  std::array<torch::Tensor, kStages> delta_;
  nn::Sequential transposed_{nullptr}, forward_{nullptr};
  Encoding encoding_{nullptr};
  Decoding decoding_{nullptr};
  nn::Conv2d feature_{nullptr};
  std::array<nn::Conv2d, kStages> join_ = {nullptr, nullptr, nullptr, nullptr};
};

const AnnounceNet kAnnounced("dgsmp", [](const ModelConfig& config) { return std::make_shared<DgsmpImpl>(config); });

}  // namespace

}  // namespace snapcube::nets
