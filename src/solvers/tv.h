#pragma once
// Total-variation denoising of a cube:  argmin_u  ½‖u − f‖² + weight · TV(u).

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// How the gradients ∇u_b of the bands at a pixel are measured. J is the 2×B matrix of all of them.
enum class TvKind {
  anisotropic,  ///< Σ_b |∂x u_b| + |∂y u_b|: every band for itself
  isotropic,    ///< Σ_b |∇u_b|: every band for itself
  vectorial,    ///< ‖J‖_F: bands share the places of their edges
  nuclear,      ///< ‖J‖_*, the sum of J's singular values: bands share places and directions
};
const std::vector<std::pair<std::string, TvKind>>& tv_kind_names();

/// Projected gradient ascent on the dual (Chambolle), which starts where the last call ended: inside an outer iteration
/// whose input changes little, a few steps a call are enough. Keeps all its memory; no call allocates.
class TvDenoiser {
 public:
  TvDenoiser(int bands, int height, int width, TvKind kind);

  /// Forgets where the last call ended.
  void restart() { std::fill(dual_.begin(), dual_.end(), 0.0f); }
  /// Replaces x by the denoised cube. weight > 0.
  void denoise(Cube& x, float weight, int iterations);
  /// TV(x), by the same differences.
  double value(const Cube& x);

 private:
  // Duals and primal rows are stored row by row, all bands of a row together: a row's work stays in the cache, and the
  // bands do not fall onto the same cache sets as they do at a power-of-two image size.
  float* p(int y, int b) { return dual_.data() + (static_cast<std::size_t>(y) * bands_ + b) * 2 * stride_; }
  float* q(int y, int b) { return p(y, b) + stride_; }
  void primal_row(const Cube& x, int y, float weight, float* u);
  void ascend_row(const float* u, const float* u_below, int y, float step, float* gram);
  double row_value(const Cube& x, int y, float* xx, float* xy, float* yy) const;
  std::size_t row_floats() const { return bands_ * stride_; }

  int bands_;
  int height_;
  int width_;
  TvKind kind_;
  std::size_t stride_;  ///< width rounded up to whole cache lines
  FloatBuffer dual_;    ///< [row][band][p, q][stride]
  std::vector<double> row_values_;
  FloatBuffer scratch_;  ///< per thread: three primal rows and the Gram matrix of a row
  int threads_;
};

}  // namespace snapcube
