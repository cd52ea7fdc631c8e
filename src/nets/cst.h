#pragma once
// CST, the coarse-to-fine sparse Transformer (figure 3 of the paper), with the published parameter names.

#include <torch/torch.h>
#include <vector>

#include "nets/estimator.h"
#include "nets/network.h"
#include "nets/sahab.h"

namespace snapcube::nets {

class CstImpl : public Network {
 public:
  explicit CstImpl(ModelConfig config);

  Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) override;
  /// Eq. (3)–(5): sqrt(MSE(X', X*)) + λ·MSE(M_s, mean over bands of |X' − X*|), the latter without gradient through X'.
  torch::Tensor loss(const Output& output, const torch::Tensor& truth, bool l1) const override;
  void use_kernels(bool on) override;

 private:
  bool use_kernels_ = false;
  torch::nn::Conv2d fution_{nullptr}, out_proj_{nullptr};
  std::vector<Estimator> estimators_;
  torch::nn::ModuleList encoder_, decoder_;
  SahabGroup bottleneck_{nullptr};
};
TORCH_MODULE(Cst);

}  // namespace snapcube::nets
