#pragma once
// The sparsity estimator (section 3.2): a small U-net with an ASPP bottleneck.

#include <torch/torch.h>

namespace snapcube::nets {

/// Dilated and pooled views of a map, joined (atrous spatial pyramid pooling).
class AsppImpl : public torch::nn::Module {
 public:
  explicit AsppImpl(int channels);
  torch::Tensor forward(const torch::Tensor& x);

  /// On the project's kernels, where they can be used.
  bool use_kernels = false;

 private:
  torch::Tensor dropped(const torch::Tensor& x);

  torch::nn::ModuleList convs_;
  torch::nn::Sequential project_;
};
TORCH_MODULE(Aspp);

class EstimatorImpl : public torch::nn::Module {
 public:
  /// With an error map the output has one channel more, the last: M_s.
  EstimatorImpl(int channels, bool error_map);
  torch::Tensor forward(const torch::Tensor& x);

  /// On the project's kernels, where they can be used.
  bool use_kernels = false;

 private:
  torch::nn::Conv2d in_proj_{nullptr}, out_conv_{nullptr};
  torch::nn::ModuleList encoder_, decoder_;
  Aspp bottleneck_{nullptr};
};
TORCH_MODULE(Estimator);

}  // namespace snapcube::nets
