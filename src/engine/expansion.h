#pragma once
// The shape that both halves of the network are built from: a 1×1 convolution to more channels, a depthwise 3×3
// convolution, a 1×1 convolution back, with activations between. Feed-forward layers have a LayerNorm before it.
//
// The wide map in the middle never exists: a thread walks down its slab of rows with a ring of the last few wide rows
// in its L2 cache. Very wide maps are cut into strips for that.

#include "engine/packed.h"
#include "engine/workspace.h"

namespace snapcube::engine {

class Expansion {
 public:
  /// expand [wide][in], depthwise [wide][1][3][3], reduce [out][wide].
  Expansion(const NamedTensor& expand, const NamedTensor& depthwise, const NamedTensor& reduce,
            kernels::Activation activation, int stride = 1);
  /// The same with a LayerNorm in front, whose γ and β go into the first convolution.
  Expansion(const NamedTensor& gamma, const NamedTensor& beta, const NamedTensor& expand, const NamedTensor& depthwise,
            const NamedTensor& reduce);

  /// out = residual + what it says above. residual may be out or in; out must not be in. No residual: null.
  void run(const Map& in, const Map* residual, const Map& out, Team& team) const;
  /// Floats of scratch for input rows of this width.
  std::size_t scratch(int width) const;

 private:
  struct Strip;
  void run_strip(const Map& in, const Map* residual, const Map& out, int first, int last, const Strip& strip,
                 Workspace& own) const;
  void expand_row(const Map& in, int y, const Strip& strip, float* wide, Workspace& own) const;
  int strip_width(int width) const;

  bool norm_ = false;
  Packed expand_;
  FloatBuffer bias_;
  FloatBuffer depthwise_;
  Packed reduce_;
  kernels::Activation activation_;
  int stride_;
};

}  // namespace snapcube::engine
