#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include <snapcube/camera.h>
#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/text.h"

namespace snapcube {

namespace {

void check_mask(const Image& mask) {
  if (mask.empty()) throw InputError("camera", "mask", "at least one pixel", "an empty mask");
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      if (!(mask(y, x) >= 0) || !std::isfinite(mask(y, x))) {
        throw InputError("camera", "mask", "finite values of at least 0",
                         fmt::format("{} at row {}, column {}", mask(y, x), y, x));
      }
    }
  }
}

void check_count(const char* field, std::size_t found, int bands) {
  if (found != static_cast<std::size_t>(bands)) {
    throw InputError("camera", field, fmt::format("one for each of the {} bands", bands), std::to_string(found));
  }
}

/// Positions of the bands, smallest 0.
std::vector<double> band_offsets(const CameraOptions& options) {
  if (options.bands < 1) throw InputError("camera", "bands", "at least 1", std::to_string(options.bands));
  std::vector<double> offsets = options.offsets;
  if (offsets.empty()) {
    for (int b = 0; b < options.bands; ++b) offsets.push_back(static_cast<double>(options.step) * b);
  }
  check_count("offsets", offsets.size(), options.bands);
  for (const double o : offsets) {
    // A detector of a million pixels more than the mask is a typing error, not a camera.
    if (!(std::fabs(o) <= 1e6)) {
      throw InputError("camera", "offsets", "pixels in -1000000 … 1000000", fmt::format("{}", o));
    }
  }
  const double first = *std::ranges::min_element(offsets);
  for (double& o : offsets) o -= first;
  return offsets;
}

/// to[i] += weight · from[i] · mask[i]; without a mask, to[i] += weight · from[i].
void accumulate(const float* from, const float* mask, float weight, int n, float* __restrict to) {
  if (mask) {
    for (int i = 0; i < n; ++i) to[i] += weight * (from[i] * mask[i]);
  } else {
    for (int i = 0; i < n; ++i) to[i] += weight * from[i];
  }
}

}  // namespace

Camera::Camera(Image mask, CameraOptions options)
    : mask_(std::move(mask)), axis_(options.axis), wavelengths_(std::move(options.wavelengths)) {
  check_mask(mask_);
  int span = 0;
  for (const double offset : band_offsets(options)) {
    const double whole = std::floor(offset);
    const Shift shift{static_cast<int>(whole), static_cast<float>(offset - whole)};
    shifts_.push_back(shift);
    span = std::max(span, shift.whole + (shift.fraction > 0 ? 1 : 0));
  }
  if (wavelengths_.empty() && bands() == static_cast<int>(published_wavelengths().size())) {
    wavelengths_ = published_wavelengths();
  }
  if (!wavelengths_.empty()) check_count("wavelengths", wavelengths_.size(), bands());
  detector_height_ = height() + (axis_ == Axis::rows ? span : 0);
  detector_width_ = width() + (axis_ == Axis::columns ? span : 0);
}

std::vector<double> Camera::offsets() const {
  std::vector<double> offsets;
  for (const Shift& s : shifts_) offsets.push_back(s.whole + static_cast<double>(s.fraction));
  return offsets;
}

void Camera::check(const Cube& x, const Image& y) const {
  if (x.bands() != bands() || x.height() != height() || x.width() != width()) {
    throw InputError("camera", "cube", fmt::format("{} bands of {}", bands(), shape_text(height(), width())),
                     fmt::format("{} of {}", x.bands(), shape_text(x.height(), x.width())));
  }
  check_measurement(y, "camera");
}

double Camera::misfit(const Cube& x, const Image& y) const {
  check(x, y);
  const Image z = forward(x);
  double yy = 0;
  double zz = 0;
  double yz = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double a = y.values()[i];
    const double b = z.values()[i];
    yy += a * a;
    zz += b * b;
    yz += a * b;
  }
  // ‖y − a·z‖² is least for a = yz/zz, and is then yy − yz²/zz.
  const double explained = zz > 0 ? yz * yz / zz : 0;
  return std::sqrt(std::max(0.0, yy - explained) / yy);
}

void Camera::check_measurement(const Image& y, const std::string& source) const {
  if (y.height() == detector_height_ && y.width() == detector_width_) return;
  const auto most = std::ranges::max(offsets());
  throw InputError(source, "measurement",
                   fmt::format("{} (the mask's {} and {} pixels of dispersion along the {})",
                               shape_text(detector_height_, detector_width_), shape_text(height(), width()), most,
                               axis_ == Axis::columns ? "columns" : "rows"),
                   shape_text(y.height(), y.width()));
}

// A detector row is one thread's work and its bands are added in order, so the sum does not depend on the threads.
void Camera::sum_bands(const Cube& x, Image& y, bool masked) const {
  check(x, y);
#pragma omp parallel for schedule(static)
  for (int r = 0; r < detector_height_; ++r) {
    float* out = y.row(r);
    std::fill_n(out, detector_width_, 0.0f);
    for (int b = 0; b < bands(); ++b) {
      const auto [whole, fraction] = shifts_[static_cast<std::size_t>(b)];
      for (int tap = 0; tap < (fraction > 0 ? 2 : 1); ++tap) {
        const float weight = tap == 0 ? 1 - fraction : fraction;
        const int source_row = axis_ == Axis::rows ? r - whole - tap : r;
        if (source_row < 0 || source_row >= height()) continue;
        const int first_column = axis_ == Axis::columns ? whole + tap : 0;
        accumulate(x.row(b, source_row), masked ? mask_.row(source_row) : nullptr, weight, width(), out + first_column);
      }
    }
  }
}

void Camera::spread_bands(const Image& y, Cube& x, bool masked) const {
  check(x, y);
  const int lines = bands() * height();
#pragma omp parallel for schedule(static)
  for (int line = 0; line < lines; ++line) {
    const int b = line / height();
    const int r = line % height();
    const auto [whole, fraction] = shifts_[static_cast<std::size_t>(b)];
    const bool columns = axis_ == Axis::columns;
    const float* near = columns ? y.row(r) + whole : y.row(r + whole);
    float* __restrict out = x.row(b, r);
    if (fraction > 0) {
      const float* far = columns ? near + 1 : y.row(r + whole + 1);
      for (int i = 0; i < width(); ++i) out[i] = (1 - fraction) * near[i] + fraction * far[i];
    } else {
      std::copy_n(near, width(), out);
    }
    if (masked) {
      const float* mask = mask_.row(r);
      for (int i = 0; i < width(); ++i) out[i] *= mask[i];
    }
  }
}

void Camera::forward(const Cube& x, Image& y) const { sum_bands(x, y, true); }
void Camera::adjoint(const Image& y, Cube& x) const { spread_bands(y, x, true); }
void Camera::shift_sum(const Cube& x, Image& y) const { sum_bands(x, y, false); }
void Camera::shift_back(const Image& y, Cube& x) const { spread_bands(y, x, false); }

Image Camera::forward(const Cube& x) const {
  Image y(detector_height_, detector_width_);
  forward(x, y);
  return y;
}

Image Camera::shift_sum(const Cube& x) const {
  Image y(detector_height_, detector_width_);
  shift_sum(x, y);
  return y;
}

Cube Camera::adjoint(const Image& y) const {
  Cube x(bands(), height(), width());
  x.wavelengths = wavelengths_;
  adjoint(y, x);
  return x;
}

Cube Camera::shift_back(const Image& y) const {
  Cube x(bands(), height(), width());
  x.wavelengths = wavelengths_;
  shift_back(y, x);
  return x;
}

Image Camera::diagonal() const {
  // (ΦΦᵀ)_pp = Σ_b Σ_taps (weight · mask)²: a cube of masks seen by a camera with squared weights.
  Image squares(detector_height_, detector_width_);
  for (const auto& [whole, fraction] : shifts_) {
    for (int tap = 0; tap < (fraction > 0 ? 2 : 1); ++tap) {
      const float weight = tap == 0 ? 1 - fraction : fraction;
      const int down = axis_ == Axis::rows ? whole + tap : 0;
      const int right = axis_ == Axis::columns ? whole + tap : 0;
      for (int r = 0; r < height(); ++r) {
        accumulate(mask_.row(r), mask_.row(r), weight * weight, width(), squares.row(r + down) + right);
      }
    }
  }
  return squares;
}

Image Camera::row_sums() const {
  const Cube spread = adjoint(Image(detector_height_, detector_width_, 1.0f));
  return forward(spread);
}

}  // namespace snapcube
