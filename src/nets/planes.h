#pragma once
// Tensors as the kernels see them. Maps are [batch, C, H, W] for libtorch; in memory they are rows of planar channels,
// [batch, H, C, W].

#include <torch/torch.h>

#include "gradients/planes.h"

namespace snapcube::nets {

/// [batch, C, H, W] to [batch, H, C, W]; nothing is copied where the memory is like that already.
inline torch::Tensor rows_of(const torch::Tensor& map) { return map.permute({0, 2, 1, 3}).contiguous(); }
inline torch::Tensor map_of(const torch::Tensor& rows) { return rows.permute({0, 2, 1, 3}); }
/// Whether there are kernels for it.
inline bool is_for_kernels(const torch::Tensor& map) { return map.is_cpu() && map.scalar_type() == torch::kFloat; }

inline gradients::ConstPlanes view(const torch::Tensor& rows) {
  return {rows.data_ptr<float>(), static_cast<int>(rows.size(0)), static_cast<int>(rows.size(1)),
          static_cast<int>(rows.size(2)), static_cast<int>(rows.size(3))};
}
inline gradients::Planes writable(torch::Tensor& rows) {
  return {rows.data_ptr<float>(), static_cast<int>(rows.size(0)), static_cast<int>(rows.size(1)),
          static_cast<int>(rows.size(2)), static_cast<int>(rows.size(3))};
}

}  // namespace snapcube::nets
