#pragma once
// SAHAB, the spectra-aware hashing attention block (figure 3b of the paper), and what it is made of.

#include <torch/torch.h>

#include "models/model_config.h"
#include "nets/feed_forward.h"
#include "nets/map_attention.h"
#include "nets/sah_msa.h"

namespace snapcube::nets {

class SahabImpl : public torch::nn::Module {
 public:
  /// Odd blocks look through windows shifted by half a window.
  SahabImpl(const ModelConfig& config, int stage, bool shifted);
  /// x [batch, H, W, C]; mask [batch, H, W], the sparsity mask at this resolution, undefined without an estimator.
  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask);
  /// The same on the project's kernels, for x [batch, H, C, W] on the CPU and attention of local scope.
  torch::Tensor forward_rows(torch::Tensor x, const torch::Tensor& mask);

 private:
  torch::Tensor attend(const torch::Tensor& x, const torch::Tensor& mask);
  torch::Tensor kept_windows(const torch::Tensor& mask, std::int64_t batch, std::int64_t rows, std::int64_t columns);

  ModelConfig config_;
  int heads_;
  bool shifted_;
  std::shared_ptr<PreNormImpl<SahMsa>> attention_;
  std::shared_ptr<PreNormImpl<MapAttention>> other_attention_;
  std::shared_ptr<PreNormImpl<FeedForward>> feed_forward_;
};
TORCH_MODULE(Sahab);

/// The blocks of one stage.
class SahabGroupImpl : public torch::nn::Module {
 public:
  SahabGroupImpl(const ModelConfig& config, int stage);
  /// x [batch, C, H, W].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask);

  /// On the project's kernels, where they can be used.
  bool use_kernels = false;

 private:
  bool is_local_;
  torch::nn::ModuleList blocks_;
};
TORCH_MODULE(SahabGroup);

}  // namespace snapcube::nets
