#pragma once
// CST, the coarse-to-fine sparse Transformer (figure 3 of the paper), with the published parameter names.

#include <torch/torch.h>
#include <vector>

#include "models/model_config.h"
#include "nets/estimator.h"
#include "nets/sahab.h"

namespace snapcube::nets {

class CstImpl : public torch::nn::Module {
 public:
  explicit CstImpl(ModelConfig config);

  struct Output {
    torch::Tensor cube;       ///< X', [batch, bands, H, W]
    torch::Tensor error_map;  ///< M_s, [batch, H, W]; undefined without screening by the estimator
  };
  /// measurement: scaled and shifted back, [batch, bands, H, W]; mask: [batch, H, W]. Sizes must be usable
  /// (usable_size); reconstruct() takes any.
  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask);
  /// The same for any size: reflected at the bottom and at the right to a usable one, and cropped back.
  Output reconstruct(const torch::Tensor& measurement, const torch::Tensor& mask);

  /// On the project's kernels, where there are some for the device and the configuration; the same function, to
  /// rounding.
  void use_kernels(bool on);
  const ModelConfig& config() const { return config_; }

 private:
  ModelConfig config_;
  bool use_kernels_ = false;
  torch::nn::Conv2d fution_{nullptr}, out_proj_{nullptr};
  std::vector<Estimator> estimators_;
  torch::nn::ModuleList encoder_, decoder_;
  SahabGroup bottleneck_{nullptr};
};
TORCH_MODULE(Cst);

/// Eq. (3)–(5): sqrt(MSE(X', X*)) + λ·MSE(M_s, mean over bands of |X' − X*|), the latter without gradient through X'.
torch::Tensor cst_loss(const CstImpl::Output& output, const torch::Tensor& truth, double loss_weight);

/// Repeats an axis by reflection, the edge not repeated, again and again, until it has `size` entries.
torch::Tensor reflect_to(const torch::Tensor& x, std::int64_t axis, std::int64_t size);

}  // namespace snapcube::nets
