#include "nets/token_attention.h"

#include <cmath>
#include <limits>

#include "nets/layers.h"
#include "nets/windows.h"

namespace snapcube::nets {

TokenAttentionImpl::TokenAttentionImpl(const TokenWidths& widths)
    : heads_(widths.heads),
      to_q_(register_module("to_q", small_linear(widths.channels, widths.inner))),
      to_k_(register_module("to_k", small_linear(widths.channels, widths.inner))),
      to_v_(register_module("to_v", small_linear(widths.channels, widths.inner))),
      to_out_(register_module("to_out", small_linear(widths.inner, widths.channels))) {}

torch::Tensor TokenAttentionImpl::attend(const torch::Tensor& x, const torch::Tensor& apart) {
  const auto split = [&](const torch::Tensor& t) {
    return t.view({x.size(0), x.size(1), x.size(2), heads_, -1}).transpose(2, 3);  // [batch, groups, heads, tokens, d]
  };
  const auto q = split(to_q_(x));
  const auto k = split(to_k_(x));
  const auto v = split(to_v_(x));
  auto logits = (q / std::sqrt(static_cast<double>(q.size(4)))).matmul(k.transpose(3, 4));
  if (apart.defined()) logits = logits.masked_fill(apart.unsqueeze(1), -std::numeric_limits<float>::infinity());
  return to_out_(logits.softmax(4).matmul(v).transpose(2, 3).reshape({x.size(0), x.size(1), x.size(2), -1}));
}

torch::Tensor GlobalAttentionImpl::forward(const torch::Tensor& x) {
  const auto small = torch::avg_pool2d(x.permute({0, 3, 1, 2}), reduction_).permute({0, 2, 3, 1});
  const auto result = attend(small.flatten(1, 2).unsqueeze(1)).view(small.sizes());
  return result.repeat_interleave(reduction_, 1).repeat_interleave(reduction_, 2);
}

namespace {

/// Which windows' worth of pixels along one axis belong together after rolling by `shift`: all but the last window are
/// whole; in the last one the first pixels of the map follow the last.
torch::Tensor stretches(std::int64_t size, int side, int shift) {
  const auto at = torch::arange(size);
  return at.ge(size - side).to(torch::kLong) + at.ge(size - shift).to(torch::kLong);
}

/// Pairs of tokens of a window that come from different sides of the map: [windows, M², M²].
torch::Tensor from_other_sides(std::int64_t height, std::int64_t width, int side, int shift) {
  const auto part = 3 * stretches(height, side, shift).unsqueeze(1) + stretches(width, side, shift);
  const auto windows = to_windows(part.view({1, height, width, 1}), side).squeeze(3).squeeze(0);
  return windows.unsqueeze(2).ne(windows.unsqueeze(1));
}

}  // namespace

torch::Tensor WindowAttentionImpl::forward(const torch::Tensor& x) {
  const auto height = x.size(1);
  const auto width = x.size(2);
  if (shift_ == 0) return from_windows(attend(to_windows(x, side_)), side_, height, width);
  const auto windows = to_windows(x.roll({-shift_, -shift_}, {1, 2}), side_);
  const auto result = attend(windows, from_other_sides(height, width, side_, shift_).to(x.device()));
  return from_windows(result, side_, height, width).roll({shift_, shift_}, {1, 2});
}

}  // namespace snapcube::nets
