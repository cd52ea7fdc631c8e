#include "calibration/refine_drift.h"

#include <snapcube/error.h>

namespace snapcube {

const std::array<DriftParameter, kDriftParameters>& drift_parameters() {
  static const std::array<DriftParameter, kDriftParameters> all = {{
      {"right", "mask shift to the right", "px", 1, -3.5, 3.5, 0.1, 0.1},
      {"down", "mask shift down", "px", 1, -3.5, 3.5, 0.1, 0.1},
      {"turn", "mask rotation, clockwise", "°", 1, -0.6, 0.6, 0.05, 0.03},
      {"slope", "slope of the dispersion", "%", 100, -0.025, 0.025, 0.002, 0.002},
      {"curvature", "curvature of the dispersion", "%", 100, -0.025, 0.025, 0.002, 0.002},
      {"angle", "angle of the dispersion", "°", 1, -1.5, 1.5, 0.05, 0.06},
      {"blur", "blur of the mask (variance)", "px²", 1, 0, 2, 0.05, 0.1},
      {"contrast", "contrast of the mask", "", 1, 0.15, 1.5, 0.03, 0.1},
  }};
  return all;
}

std::size_t drift_parameter(const std::string& name) {
  std::string known;
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    const std::string& one = drift_parameters()[k].name;
    if (one == name) return k;
    known += (known.empty() ? "" : ", ") + one;
  }
  throw InputError("drift", "parameter", known, "'" + name + "'");
}

}  // namespace snapcube
