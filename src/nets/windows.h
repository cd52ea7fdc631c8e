#pragma once
// Maps [batch, H, W, C] cut into windows of M×M tokens.

#include <torch/torch.h>

namespace snapcube::nets {

/// [batch, H, W, C] → [batch, windows, M², C], windows row by row.
inline torch::Tensor to_windows(const torch::Tensor& x, int m) {
  const auto b = x.size(0);
  const auto c = x.size(3);
  const auto rows = x.size(1) / m;
  const auto columns = x.size(2) / m;
  return x.view({b, rows, m, columns, m, c}).permute({0, 1, 3, 2, 4, 5}).reshape({b, rows * columns, m * m, c});
}

inline torch::Tensor from_windows(const torch::Tensor& windows, int m, std::int64_t height, std::int64_t width) {
  const auto b = windows.size(0);
  const auto c = windows.size(3);
  return windows.view({b, height / m, width / m, m, m, c}).permute({0, 1, 3, 2, 4, 5}).reshape({b, height, width, c});
}

}  // namespace snapcube::nets
