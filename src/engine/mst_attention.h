#pragma once
// MST's attention: between the channels of a head, over all pixels of the frame.
//
// With x the pixels' channels and Wq, Wk, Wv, Wo the four linear layers, a head is softmax(ρ·kᵀq)·(v∘m), where
// kᵀq = Wk (Σ x xᵀ) Wqᵀ and the norms of q and k are the roots of such sums' diagonals. So one pass over the frame
// yields the C × C sums, the rest of attention is a product of small matrices, and Wo·A is one matrix too. A second
// pass applies it: out = x + (Wo A)(v∘m) + b + 3×3(GELU(3×3(v))), v = Wv x, the convolutions depthwise.

#include <vector>

#include "engine/packed.h"
#include "engine/workspace.h"

namespace snapcube::engine {

/// Memory that all attentions of a network share: what one computes between its two passes.
struct SpectralRoom {
  std::vector<double> parts;     ///< sums over parts of the frame, [part][channels][channels]
  std::vector<double> sums;      ///< over all of it
  std::vector<double> products;  ///< one row of a matrix for each channel
  std::vector<double> logits;    ///< [channels][channels of a head], then softmax of it
  std::vector<double> norms;     ///< of k's channels, then of q's
  FloatBuffer matrix;            ///< Wo A
  FloatBuffer packed;

  /// For maps of this many channels and rows, unless there is room already.
  void prepare(int channels, int height);
  std::size_t bytes() const;
};

class SpectralAttention {
 public:
  SpectralAttention(int channels, int heads, const TensorsOf& tensors);

  /// See above; m is `guide`, which may be `out`. in must be neither.
  void run(const Map& in, const Map& guide, const Map& out, SpectralRoom& room, Team& team) const;
  std::size_t scratch(int width) const;

 private:
  void add_up(const Map& in, SpectralRoom& room, Team& team) const;
  void fold(SpectralRoom& room, Team& team) const;
  void apply(const Map& in, const Map& guide, const Map& out, int first, int last, const float* packed,
             Workspace& own) const;

  int channels_;
  int heads_;
  std::vector<double> query_;  ///< [channels][channels]
  std::vector<double> key_;
  std::vector<double> output_;
  FloatBuffer rescale_;  ///< ρ of each head
  Packed value_;
  FloatBuffer bias_;
  FloatBuffer position_[2];  ///< the depthwise convolutions
};

}  // namespace snapcube::engine
