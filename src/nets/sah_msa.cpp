#include "nets/sah_msa.h"

#include <cmath>
#include <vector>

#include "nets/layers.h"

namespace snapcube::nets {

SahMsaImpl::SahMsaImpl(const ModelConfig& config, int stage)
    : heads_(config.heads(stage)),
      bucket_(config.bucket),
      rounds_(config.rounds),
      hash_floor_(config.hash_floor),
      scale_logits_(config.scale_logits) {
  const int channels = config.channels(stage);
  const int inner = config.inner(stage);
  to_q = register_module("to_q", small_linear(channels, inner));
  to_k = register_module("to_k", small_linear(channels, inner));
  to_v = register_module("to_v", small_linear(channels, inner));
  to_out = register_module("to_out", small_linear(inner, channels));
  hash_alpha = register_buffer("hash_alpha", torch::randn({channels / heads_ + 2, rounds_}));
  hash_beta = register_buffer("hash_beta", torch::rand({rounds_}));
}

torch::Tensor SahMsaImpl::clustering(const torch::Tensor& x) const {
  const torch::NoGradGuard no_gradient;
  const auto groups = x.size(0);
  const auto tokens = x.size(1);
  const auto width = x.size(2) / heads_;
  // Eq. (6) on (e, sqrt(n_max² − n²), 0): the extension makes all vectors equally long, so that a large inner product
  // means a small distance.
  const auto e = x.detach().view({groups, tokens, heads_, width}).transpose(1, 2);  // [groups, heads, tokens, width]
  const auto length = e.norm(2, -1, true);
  const auto longest = std::get<0>(length.max(2, true));
  const auto extension = (longest.square() - length.square()).clamp_min(0).sqrt();
  auto code = e.matmul(hash_alpha.slice(0, 0, width)) + extension * hash_alpha[width] + hash_beta;
  if (hash_floor_) code = code.floor();
  // Eq. (7) sorts; equal codes keep the order of their tokens.
  return std::get<1>(at::sort(code.permute({0, 1, 3, 2}), /*stable=*/true, -1, /*descending=*/false));
}

torch::Tensor SahMsaImpl::forward(const torch::Tensor& x) {
  const auto groups = x.size(0);
  const auto tokens = x.size(1);
  const auto split = [&](const torch::Tensor& t) {
    return t.view({groups, tokens, heads_, -1}).transpose(1, 2);  // [groups, heads, tokens, d]
  };
  const auto q = split(to_q(x));
  const auto k = split(to_k(x));
  const auto v = split(to_v(x));
  const auto d = q.size(3);
  const auto order = clustering(x);

  std::vector<torch::Tensor> outputs;
  std::vector<torch::Tensor> scores;
  for (int r = 0; r < rounds_; ++r) {
    const auto index = order.select(2, r);  // [groups, heads, tokens]
    const auto gather_index = index.unsqueeze(-1).expand({groups, heads_, tokens, d});
    const auto bucketed = [&](const torch::Tensor& t) {
      return t.gather(2, gather_index).view({groups, heads_, tokens / bucket_, bucket_, d});
    };
    // Eq. (9), inside each bucket.
    auto logits = bucketed(q).matmul(bucketed(k).transpose(-1, -2));
    if (scale_logits_) logits = logits / std::sqrt(static_cast<double>(d));
    const auto score = logits.logsumexp(-1, true);
    const auto head = (logits - score).exp().matmul(bucketed(v));
    // Back to the order of the tokens.
    const auto back = index.argsort(-1, false).unsqueeze(-1);
    outputs.push_back(head.view({groups, heads_, tokens, d}).gather(2, back.expand({groups, heads_, tokens, d})));
    scores.push_back(score.view({groups, heads_, tokens, 1}).gather(2, back));
  }
  // Eq. (10) and (11): rounds are weighted by how much a token's bucket had to say to it.
  const auto weights = torch::stack(scores).softmax(0);
  const auto mixed = (torch::stack(outputs) * weights).sum(0);
  return to_out(mixed.transpose(1, 2).reshape({groups, tokens, heads_ * d}));  // eq. (8)
}

}  // namespace snapcube::nets
