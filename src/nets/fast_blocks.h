#pragma once
// The two halves of a block on the project's kernels, forward and backward, as functions that libtorch's autograd
// knows. Maps are [batch, H, C, W]: rows of planar channels.

#include <torch/torch.h>

#include "nets/sah_msa.h"
#include "nets/sahab.h"

namespace snapcube::nets {

/// x + FFN(LayerNorm(x)).
torch::Tensor fast_feed_forward(const torch::Tensor& x, const PreNormImpl<FeedForward>& layer);

/// x with SAH-MSA(LayerNorm(·)) added on the kept windows [batch, k], which start `shift` pixels down and to the right.
torch::Tensor fast_attention(const torch::Tensor& x, const PreNormImpl<SahMsa>& layer, const ModelConfig& config,
                             int heads, const torch::Tensor& windows, int shift);

}  // namespace snapcube::nets
