#pragma once
// SAH-MSA, spectra-aggregation hashing multi-head self-attention (section 3.3 of the paper).

#include <torch/torch.h>

#include "models/model_config.h"

namespace snapcube::nets {

/// Attention among tokens that hash alike. Works on groups of tokens [groups, tokens, C], already normalised: a group
/// is a window (local scope) or all kept windows of a map (global scope).
class SahMsaImpl : public torch::nn::Module {
 public:
  SahMsaImpl(const ModelConfig& config, int stage);
  torch::Tensor forward(const torch::Tensor& x);

  /// Order of the tokens by hash code, per head and round: [groups, heads, rounds, tokens]. No gradient.
  torch::Tensor clustering(const torch::Tensor& x) const;

  torch::nn::Linear to_q{nullptr}, to_k{nullptr}, to_v{nullptr}, to_out{nullptr};
  /// a ~ N(0,1), [e+2, R], and b ~ U(0,1), [R]: drawn once, part of the model.
  torch::Tensor hash_alpha, hash_beta;

 private:
  int heads_;
  int bucket_;
  int rounds_;
  bool hash_floor_;
  bool scale_logits_;
};
TORCH_MODULE(SahMsa);

}  // namespace snapcube::nets
