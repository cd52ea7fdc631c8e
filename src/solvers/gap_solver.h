#pragma once
// GAP-TV's iterations for those who run them again and again: memory is taken once for a camera.

#include <functional>

#include <snapcube/array.h>
#include <snapcube/camera.h>

#include "solvers/alternating_projection.h"
#include "solvers/tv.h"

namespace snapcube {

struct GapSchedule {
  int iterations = 100;
  double first_weight = 8;  ///< of TV, relative to `unit`
  double last_weight = 0.5;
  /// In so many iterations a tenth of the detector's pixels is left out, to see how well they are predicted.
  int blind = 0;
};

class GapSolver {
 public:
  /// Refers to the camera, which must outlive it.
  explicit GapSolver(const Camera& camera);

  /// Begins with a black cube. `unit` is the brightness that the weights are relative to: that of the frame, also where
  /// y is what is left of it and has both signs. Returns ‖y − Φx‖/‖y‖ of the pixels that were left out, at the end of
  /// the blind iterations; 0 without any. `report` takes the share that is done; it may throw.
  double solve(const Image& y, double unit, const GapSchedule& schedule, Cube& x,
               const std::function<void(double)>& report = {});

 private:
  double prediction(const Cube& x);

  const Camera& camera_;
  Image y_;
  Image seen_;   ///< 0 for one pixel in ten, else 1
  Image image_;  ///< Φx
  AlternatingProjection projection_;
  TvDenoiser denoiser_;
};

}  // namespace snapcube
