#pragma once
// softmax(q·kᵀ/√d)·v between the tokens of a map: all of them (G-MSA) or those of a window (W-MSA, Swin-MSA).

#include <torch/torch.h>

#include "nets/map_attention.h"

namespace snapcube::nets {

struct TokenWidths {
  int channels;
  int heads;
  int inner;  ///< channels of q, k and v, all heads together
};

class TokenAttentionImpl : public MapAttentionImpl {
 public:
  explicit TokenAttentionImpl(const TokenWidths& widths);

 protected:
  /// Inside each group of x [batch, groups, tokens, C]. `apart` [groups, tokens, tokens], if defined, is true for pairs
  /// that do not see each other.
  torch::Tensor attend(const torch::Tensor& x, const torch::Tensor& apart = {});

 private:
  std::int64_t heads_;
  torch::nn::Linear to_q_, to_k_, to_v_, to_out_;
};

/// All with all, on a map whose height and width are reduced by averaging; the result is repeated to the map's size.
class GlobalAttentionImpl : public TokenAttentionImpl {
 public:
  GlobalAttentionImpl(const TokenWidths& widths, int reduction) : TokenAttentionImpl(widths), reduction_(reduction) {}
  torch::Tensor forward(const torch::Tensor& x) override;

 private:
  int reduction_;
};

/// Windows of side × side that start `shift` pixels down and to the right. Those that then reach over an edge of the
/// map hold tokens of opposite sides, which do not see each other.
class WindowAttentionImpl : public TokenAttentionImpl {
 public:
  WindowAttentionImpl(const TokenWidths& widths, int side, int shift)
      : TokenAttentionImpl(widths), side_(side), shift_(shift) {}
  torch::Tensor forward(const torch::Tensor& x) override;

 private:
  int side_;
  int shift_;
};

}  // namespace snapcube::nets
