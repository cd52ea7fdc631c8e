#pragma once
// (ΦΦᵀ + μ)⁻¹ on the detector, exactly: a division for whole-pixel offsets, one tridiagonal system a line for
// fractions.

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

class DetectorSolver {
 public:
  /// μ = `damping` · the largest value on ΦΦᵀ's diagonal. Where light is split evenly between two pixels, ΦΦᵀ hardly
  /// sees a pattern that alternates from pixel to pixel; damping keeps its noise from being blown up by more than
  /// 1/damping.
  DetectorSolver(const Camera& camera, double damping);

  /// r ← (ΦΦᵀ + μ)⁻¹ r; 0 where no light arrives or the weight is 0. Allocates nothing; the same bytes for every thread
  /// count.
  void solve(Image& r) const;

 private:
  void solve_along_columns(Image& r) const;
  void solve_along_rows(Image& r) const;

  Axis axis_;
  bool coupled_ = false;  ///< fractions: neighbours share light
  Image inverse_pivots_;  ///< 1/d of ΦΦᵀ + μ = L d Lᵀ; 0 where a pixel is left out
  Image lower_;           ///< L below its diagonal: of a pixel and the one before it along the axis
};

}  // namespace snapcube
