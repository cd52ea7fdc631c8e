#include "calibration/refine_camera.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace snapcube {

namespace {

constexpr double kDegree = std::numbers::pi / 180;

/// Whole pixels that positions take beyond the mask, as Camera counts them.
int span_of(const std::vector<double>& positions) {
  const auto [first, last] = std::ranges::minmax(positions);
  return static_cast<int>(std::ceil(last - first));
}

/// The drifted mask of one band, `height` × `width`; (origin_down, origin_right): its first pixel.
Image moved_mask(const Image& source, MaskReading reading, const Drift& drift, int height, int width, double down,
                 double right) {
  const Image mask = blurred_mask(source, drift.blur);
  const MaskContrast contrast = contrast_of(mask, drift.contrast);
  Image result(height, width);
  for (int y = 0; y < height; ++y) {
    sample_mask(mask, reading, line_in_mask(mask, drift, y, 0, down, right), width, result.row(y));
    for (int x = 0; x < width; ++x) {
      // A cubic overshoots beside dark pixels; less than no light does not pass.
      result(y, x) = std::max(0.0f, contrast.factor * result(y, x) + contrast.offset);
    }
  }
  return result;
}

/// The curve of the same degree through the new positions, least squares.
std::vector<double> refitted_curve(const CameraFile& camera) {
  if (camera.curve.empty() || camera.wavelengths.size() < camera.curve.size()) return {};
  const auto [first, last] = std::ranges::minmax(camera.wavelengths);
  const auto rows = static_cast<Eigen::Index>(camera.wavelengths.size());
  const auto terms = static_cast<Eigen::Index>(camera.curve.size());
  Eigen::MatrixXd powers(rows, terms);
  Eigen::VectorXd positions(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double t = (2 * camera.wavelengths[static_cast<std::size_t>(i)] - first - last) / (last - first);
    for (Eigen::Index k = 0; k < terms; ++k) powers(i, k) = std::pow(t, static_cast<double>(k));
    positions(i) = camera.positions[static_cast<std::size_t>(i)];
  }
  const Eigen::VectorXd fitted = powers.colPivHouseholderQr().solve(positions);
  return {fitted.begin(), fitted.end()};
}

}  // namespace

DriftedPositions drifted_positions(const std::vector<double>& positions, const Drift& drift) {
  const auto [first, last] = std::ranges::minmax(positions);
  const double middle = (first + last) / 2;
  const double span = last - first;
  DriftedPositions result;
  for (const double o : positions) {
    const double t = span > 0 ? (o - middle) / (span / 2) : 0;
    result.along.push_back(o + drift.slope * (o - middle) + drift.curvature * span * (t * t - 1.0 / 3));
    result.across.push_back((o - middle) * std::tan(drift.angle * kDegree));
  }
  return result;
}

MaskLine line_in_mask(const Image& mask, const Drift& drift, double row, double column, double shift_down,
                      double shift_right) {
  const double middle_row = (mask.height() - 1) / 2.0;
  const double middle_column = (mask.width() - 1) / 2.0;
  const double y = row - middle_row - drift.down - shift_down;
  const double x = column - middle_column - drift.right - shift_right;
  const double cosine = std::cos(drift.turn * kDegree);
  const double sine = std::sin(drift.turn * kDegree);
  return {.row = middle_row + cosine * y - sine * x,
          .column = middle_column + sine * y + cosine * x,
          .row_step = -sine,
          .column_step = cosine};
}

CameraFile drifted_camera(const CameraFile& camera, const Drift& drift) {
  CameraFile result = camera;
  const bool columns = camera.axis == Axis::columns;
  const DriftedPositions drifted = drifted_positions(camera.positions, drift);
  const bool bent = drift.slope != 0 || drift.curvature != 0;
  int origin = 0;                                        // of the new cube in the old one, along the dispersion
  std::vector<double> rest(camera.positions.size(), 0);  // of a pixel, by which a band lies beside its position
  if (bent) {
    result.positions = drifted.along;
    result.curve = refitted_curve(result);
    const double before = *std::ranges::min_element(camera.positions);
    origin = static_cast<int>(std::round(*std::ranges::min_element(drifted.along) - before));
    for (std::size_t b = 0; b < rest.size(); ++b) {
      const double place = drifted.along[b] - before - origin;
      result.positions[b] = std::round(place);
      rest[b] = place - result.positions[b];
    }
  }
  const int longer = span_of(camera.positions) - span_of(result.positions);
  const bool one = camera.masks.empty();
  const int height = (one ? camera.mask.height() : camera.masks.height()) + (columns ? 0 : longer);
  const int width = (one ? camera.mask.width() : camera.masks.width()) + (columns ? longer : 0);
  const bool per_band = !one || drift.angle != 0 || bent;
  const auto moved = [&](int band) {
    Image source = camera.mask;
    if (!one) {
      source = Image(camera.masks.height(), camera.masks.width());
      std::copy_n(camera.masks.band(band), source.size(), source.data());
    }
    const double across = drifted.across[static_cast<std::size_t>(band)];
    // Place u of the new frame is u − origin of the old one.
    const double along = origin + rest[static_cast<std::size_t>(band)];
    return moved_mask(source, reading_of(source), drift, height, width, columns ? across : along,
                      columns ? along : across);
  };
  if (!per_band) {
    result.mask = moved(0);
    return result;
  }
  result.mask = {};
  result.masks = Cube(camera.bands(), height, width);
  result.masks.wavelengths = camera.wavelengths;
  for (int b = 0; b < camera.bands(); ++b) {
    const Image mask = moved(b);
    std::copy_n(mask.data(), mask.size(), result.masks.band(b));
  }
  return result;
}

}  // namespace snapcube
