#include "solvers/alternating_projection.h"

#include <cmath>
#include <cstdint>

#include "solvers/detector_algebra.h"

namespace snapcube {

AlternatingProjection::AlternatingProjection(const Image& measurement, const Camera& camera, bool accelerate)
    : y_(measurement),
      camera_(camera),
      accelerate_(accelerate),
      size_(std::sqrt(squared_norm(measurement))),
      inverse_(inverse_row_sums(camera)),
      carried_(measurement.height(), measurement.width()),
      image_(measurement.height(), measurement.width()),
      step_(camera.bands(), camera.height(), camera.width()) {}

void AlternatingProjection::restart() {
  first_ = true;
  weights_ = nullptr;
  size_ = std::sqrt(squared_norm(y_));
  for (float& v : carried_.values()) v = 0;
}

double AlternatingProjection::residual(const Cube& x) {
  camera_.forward(x, image_);
  double sum = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const float r = (y_.data()[i] - image_.data()[i]) * (weights_ ? weights_->data()[i] : 1.0f);
    sum += static_cast<double>(r) * r;
    if (accelerate_ && !first_) carried_.data()[i] += r;
    image_.data()[i] = (r + carried_.data()[i]) * inverse_.data()[i];
  }
  first_ = false;
  return std::sqrt(sum) / size_;
}

void AlternatingProjection::project(Cube& x) {
  camera_.adjoint(image_, step_);
  const auto n = static_cast<std::int64_t>(x.size());
  const float* from = step_.data();
  float* to = x.data();
#pragma omp parallel for simd schedule(static)
  for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace snapcube
