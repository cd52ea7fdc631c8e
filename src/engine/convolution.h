#pragma once
// Dense convolutions on maps: 3×3 with any dilation, 4×4 with stride 2, and 2×2 transposed with stride 2.

#include "engine/packed.h"
#include "engine/workspace.h"

namespace snapcube::engine {

/// The first `width` pixels of an output row of a 3×3 convolution, padded by its dilation. `to` has the activation, the
/// residual and the output.
void convolve_3x3_row(const Packed& weights, const Map& in, int y, int dilation, kernels::RowProduct to,
                      Workspace& workspace, int width);

/// out = convolution 4×4, stride 2, padding 1, of in: half the size, rounded down.
class Downsampling {
 public:
  explicit Downsampling(const NamedTensor& weight) : weights_(pack(weight)) {}
  void run(const Map& in, const Map& out, Team& team) const;
  std::size_t scratch(int width) const;

 private:
  Packed weights_;
};

/// out = base + transposed convolution 2×2, stride 2, with bias, of in: twice the size. base may be out, or nothing.
class Upsampling {
 public:
  Upsampling(const NamedTensor& weight, const NamedTensor& bias);
  void run(const Map& in, const Map* base, const Map& out, Team& team) const;
  std::size_t scratch(int width) const;

 private:
  Packed rows_[2];    ///< for the upper and the lower output row: the left pixels' channels, then the right ones'
  FloatBuffer bias_;  ///< twice
};

}  // namespace snapcube::engine
