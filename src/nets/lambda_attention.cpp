#include "nets/lambda_attention.h"

#include <algorithm>
#include <cmath>

namespace snapcube::nets {

LambdaAttentionImpl::LambdaAttentionImpl(int channels, int width) {
  const auto linear = [&](const char* name, int outputs) {
    return register_module(name, torch::nn::Linear(torch::nn::LinearOptions(channels, outputs).bias(false)));
  };
  gamma_ = register_parameter("gamma", torch::ones({1}));
  to_q_ = linear("to_q", width);
  to_k_ = linear("to_k", width);
  to_v_ = linear("to_v", channels);
}

torch::Tensor LambdaAttentionImpl::forward(const torch::Tensor& x) {
  /// Rows of the score matrix at a time, so that a large frame does not need pixels² floats.
  constexpr std::int64_t kRows = 2048;
  const auto tokens = x.flatten(2).transpose(1, 2);  // [batch, pixels, C]
  const auto q = to_q_->forward(tokens);
  const auto k = to_k_->forward(tokens).transpose(1, 2);
  const auto v = to_v_->forward(tokens);
  const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
  std::vector<torch::Tensor> parts;
  for (std::int64_t at = 0; at < q.size(1); at += kRows) {
    const auto rows = q.slice(1, at, std::min(at + kRows, q.size(1)));
    parts.push_back(torch::matmul(torch::softmax(torch::matmul(rows, k) * scale, 2), v));
  }
  return x + gamma_ * torch::cat(parts, 1).transpose(1, 2).reshape_as(x);
}

}  // namespace snapcube::nets
