#pragma once
// The step that every GAP method shares: project the cube onto those that explain the measurement.
//
//   y₁ ← y₁ + (y − Φx)                    accelerated: the residual is carried along
//   x  ← x + Φᵀ (ΦΦᵀ)⁻¹ (y₁ − Φx)

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

class AlternatingProjection {
 public:
  /// Refers to both; they must outlive it.
  AlternatingProjection(const Image& measurement, const Camera& camera, bool accelerate);

  /// Begins anew: with what the measurement holds now, nothing carried along and every pixel seen.
  void restart();
  /// Leaves out the pixels whose weight is 0 from now on; null: none. Refers to it.
  void weigh(const Image* weights) { weights_ = weights; }
  /// ‖y − Φx‖ / ‖y‖, of the pixels that are seen. Keeps the residual for project(), which comes next, with the same x.
  double residual(const Cube& x);
  void project(Cube& x);

 private:
  const Image& y_;
  const Camera& camera_;
  bool accelerate_;
  bool first_ = true;
  const Image* weights_ = nullptr;  ///< 1 or 0 for each pixel
  double size_;                     ///< ‖y‖
  Image inverse_;                   ///< (ΦΦᵀ)⁻¹
  Image carried_;                   ///< y₁ − y, the residuals so far
  Image image_;                     ///< (ΦΦᵀ)⁻¹ (y₁ − Φx)
  Cube step_;
};

}  // namespace snapcube
