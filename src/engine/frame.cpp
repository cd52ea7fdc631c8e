#include "engine/frame.h"

#include <algorithm>
#include <cmath>

#include "models/measurement_scale.h"

namespace snapcube::engine {

namespace {

float scale_of(const ImageView& measurement, int bands, MeasurementScale scale) {
  if (scale == MeasurementScale::sum) return 2.0f / static_cast<float>(bands);
  float most = 0;
  for (int y = 0; y < measurement.height(); ++y) {
    const float* row = measurement.row(y);
    for (int x = 0; x < measurement.width(); ++x) most = std::max(most, row[x]);
  }
  return most > 0 ? kScaledMaximum / most : 1.0f;
}

}  // namespace

Frame::Frame(const ImageView& measurement, const Camera& camera, MeasurementScale scale)
    : measurement_(measurement), camera_(camera), scale_(scale_of(measurement, camera.bands(), scale)) {}

void Frame::read_row(int y, int x, int count, float* to, std::size_t pitch) const {
  const int row = reflected(y, height());
  const int inside = std::clamp(width() - x, 0, count);  // columns before the frame's edge
  for (int b = 0; b < bands(); ++b, to += pitch) {
    const double offset = camera_.offset(b);
    const auto whole = static_cast<int>(std::floor(offset));
    const auto fraction = static_cast<float>(offset - whole);
    const bool columns = camera_.axis() == Axis::columns;
    const float* near = columns ? measurement_.row(row) + whole : measurement_.row(row + whole);
    const auto at = [&](int column) {
      if (fraction == 0) return near[column] * scale_;
      const float far = columns ? near[column + 1] : measurement_(row + whole + 1, column);
      return ((1 - fraction) * near[column] + fraction * far) * scale_;
    };
    for (int i = 0; i < inside; ++i) to[i] = at(x + i);
    for (int i = inside; i < count; ++i) to[i] = at(reflected(x + i, width()));
  }
}

void Frame::read_mask_row(int y, int x, int count, float* to) const {
  const float* row = camera_.mask().row(reflected(y, height()));
  for (int i = 0; i < count; ++i) to[i] = row[reflected(x + i, width())];
}

}  // namespace snapcube::engine
