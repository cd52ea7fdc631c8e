#pragma once
// The step of a reconstruction that knows the camera, and its gradients:
//
//   x' = x + η·Φᵀ√w (√wΦΦᵀ√w + μ)⁻¹ √w (y − Φx)
//
// w are weights of detector pixels, 0 for dead ones. Dispersion runs along the columns, so that a row is one thread's.

#include "gradients/planes.h"
#include "optics/dispersed_row.h"

namespace snapcube::gradients {

/// A sample's camera and measurement. Detector rows are detector_width() floats, one after the other.
struct DataStep {
  const Dispersion* dispersion = nullptr;
  ConstPlanes masks = {};              ///< of each band
  const float* measurement = nullptr;  ///< y
  const float* roots = nullptr;        ///< √w; null: all 1
  const float* diagonal = nullptr;     ///< of √wΦΦᵀ√w
  const float* next = nullptr;         ///< beside it (gram_row); null: nothing is
  float eta = 1;
  float mu = 1;
};

/// `solved`: what (… + μ)⁻¹ gave, of the detector's size, for the gradient.
void data_step(const ConstPlanes& x, const DataStep& step, const Planes& out, float* solved);

struct DataStepGradient {
  double eta = 0;
  double mu = 0;
};
/// From the gradient of x' to that of x, η and μ; y and the camera have none.
DataStepGradient data_step_backward(const ConstPlanes& dout, const DataStep& step, const float* solved,
                                    const Planes& dx);

}  // namespace snapcube::gradients
