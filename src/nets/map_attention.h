#pragma once
// Attention on a whole map: the forms that the paper compares SAH-MSA with. What they have in common with a block of
// CST is the place they stand in.

#include <torch/torch.h>

#include "models/model_config.h"

namespace snapcube::nets {

class MapAttentionImpl : public torch::nn::Module {
 public:
  /// x: [batch, H, W, C], already normalised, contiguous.
  virtual torch::Tensor forward(const torch::Tensor& x) = 0;
};
TORCH_MODULE(MapAttention);

/// Of config.attention, which is neither none nor sah; `odd`: every other block of a group.
MapAttention make_map_attention(const ModelConfig& config, int stage, bool odd);

}  // namespace snapcube::nets
