#pragma once
// 3×3 convolutions of whole maps by Winograd's F(4, 3) down the rows (kernels/winograd.h): half of the multiply-adds.

#include <array>

#include "engine/packed.h"
#include "engine/workspace.h"
#include "kernels/winograd.h"

namespace snapcube::engine {

/// (G g)[i] of kernels [outputs][inputs][3][3], each ready for a product over three columns. `turned`: of kernels
/// [inputs][outputs][3][3] turned around, whose convolution is the transposed one.
using WinogradWeights = std::array<Packed, kernels::kWinogradProducts>;
WinogradWeights winograd_weights(const float* weights, int outputs, int inputs, bool turned = false);

class WinogradConvolution {
 public:
  explicit WinogradConvolution(const NamedTensor& weight);

  enum class After { nothing, gelu };
  /// out = after(weights ∗ in) + base, zeros around the map; base may be out, or nothing. out is not in.
  void run(const Map& in, After after, const Map* base, const Map& out, Team& team) const;
  /// Floats that a thread works in.
  std::size_t scratch(int width) const;

 private:
  void run_group(const Map& in, int first, After after, const Map* base, const Map& out, Workspace& own,
                 float* memory) const;

  int inputs_;
  int outputs_;
  WinogradWeights weights_;
};

}  // namespace snapcube::engine
