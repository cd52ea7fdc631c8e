// HSSP and DNU: steps of a gradient descent on ‖y − Φx‖² whose prior is learned. On the detector's grid x has a place
// for every band and column, and Φ is a product: Φx = Σ_b Φ_b·x_b, Φᵀy = Φ·y.

#include <fmt/format.h>

#include "models/unrolled_form.h"
#include "nets/detector.h"
#include "nets/layers.h"
#include "nets/network.h"

namespace snapcube::nets {

namespace {

namespace nn = torch::nn;

class StageImpl : public nn::Module {
 public:
  StageImpl(int bands, bool non_local) {
    const auto number = [&](const char* name, double value) {
      return register_parameter(name, torch::full({1}, value));
    };
    delta_ = number("delta", kUnrolledDelta);
    eta_ = number("eta", kUnrolledEta);
    local_ = register_module("local", nn::Sequential(same_convolution(bands, kUnrolledWidth, 3), nn::ReLU(),
                                                     same_convolution(kUnrolledWidth, bands, 3)));
    mix_ = register_module("mix", same_convolution(bands, bands, 1));
    if (!non_local) return;
    omega_ = number("omega", kUnrolledOmega);
    psi_ = register_module("psi", same_convolution(bands, bands, 1));
  }

  /// x ← (1 − δη)x − δΦᵀΦx + δx₀ + δηS(x)
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& masks, const torch::Tensor& start) {
    const auto back = masks * (masks * x).sum(1, true);
    return (1 - delta_ * eta_) * x - delta_ * back + delta_ * start + delta_ * eta_ * prior(x);
  }

 private:
  torch::Tensor prior(const torch::Tensor& x) {
    const auto local = mix_->forward(x + local_->forward(x));
    if (!omega_.defined()) return local;
    // x(xᵀψ(x))/n, n pixels: the inner product is bands × bands.
    const auto tokens = x.flatten(2);                                                       // [batch, bands, n]
    const auto inner = torch::matmul(tokens, psi_->forward(x).flatten(2).transpose(1, 2));  // xᵀψ
    const auto wide = torch::matmul(inner.transpose(1, 2), tokens) / static_cast<double>(tokens.size(2));
    return omega_ * local + (1 - omega_) * torch::relu(wide.view_as(x));
  }

  torch::Tensor delta_, eta_, omega_;
  nn::Sequential local_{nullptr};
  nn::Conv2d mix_{nullptr}, psi_{nullptr};
};
TORCH_MODULE(Stage);

class UnrolledImpl : public Network {
 public:
  UnrolledImpl(const ModelConfig& config, bool non_local)
      : Network(config), stages_(register_module("stages", nn::ModuleList())) {
    for (int i = 0; i < kUnrolledStages; ++i) stages_->push_back(Stage(config.bands, non_local));
  }

  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override {
    const int step = config().step;
    const auto masks = masks_on_detector(mask, config().bands, step);
    // The plain sum over bands: what Φx is compared with.
    const auto y = detector_of(measurement, step).unsqueeze(1) * (config().bands / 2.0);
    const auto start = masks * y;
    auto x = start;
    for (const auto& stage : *stages_) x = stage->as<StageImpl>()->forward(x, masks, start);
    return {shift_back_bands(x, measurement.size(3), step), {}};
  }

 private:
  nn::ModuleList stages_;
};

AnnounceNet announce(const char* name, bool non_local) {
  return {name, [non_local](const ModelConfig& config) { return std::make_shared<UnrolledImpl>(config, non_local); }};
}
[[maybe_unused]] const std::array kAnnounced = {announce("hssp", false), announce("dnu", true)};

}  // namespace

}  // namespace snapcube::nets
