#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>

#include <snapcube/camera.h>
#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/text.h"

namespace snapcube {

namespace {

/// `in` tells which of several images it is.
void check_values(std::span<const float> values, int width, const char* field, const std::string& in = "") {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!(values[i] >= 0) || !std::isfinite(values[i])) {
      const auto columns = static_cast<std::size_t>(width);
      throw InputError("camera", field, "finite values of at least 0",
                       fmt::format("{} at row {}, column {}{}", values[i], i / columns, i % columns, in));
    }
  }
}

void check_mask(const Image& mask) {
  if (mask.empty()) throw InputError("camera", "mask", "at least one pixel", "an empty mask");
  check_values(mask.values(), mask.width(), "mask");
}

void check_masks(const Cube& masks) {
  if (masks.empty()) throw InputError("camera", "masks", "at least one band of one pixel", "an empty cube");
  for (int b = 0; b < masks.bands(); ++b) {
    check_values({masks.band(b), masks.band_size()}, masks.width(), "masks", fmt::format(" of band {}", b));
  }
}

Image mean_of(const Cube& masks) {
  Image mean(masks.height(), masks.width());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    double sum = 0;
    for (int b = 0; b < masks.bands(); ++b) sum += masks.band(b)[i];
    mean.data()[i] = static_cast<float>(sum / masks.bands());
  }
  return mean;
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
  place_bands(std::move(options));
}

Camera::Camera(Cube masks, CameraOptions options)
    : masks_(std::move(masks)), axis_(options.axis), wavelengths_(std::move(options.wavelengths)) {
  check_masks(masks_);
  mask_ = mean_of(masks_);
  if (wavelengths_.empty()) wavelengths_ = masks_.wavelengths;
  options.bands = masks_.bands();
  place_bands(std::move(options));
}

void Camera::place_bands(CameraOptions options) {
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

Image Camera::mask(int band) const {
  if (plain()) return mask_;
  Image mask(height(), width());
  std::copy_n(masks_.band(band), masks_.band_size(), mask.data());
  return mask;
}

void Camera::set_weights(const Image& weights) {
  if (weights.empty()) {
    root_weights_ = {};
    return;
  }
  if (weights.height() != detector_height_ || weights.width() != detector_width_) {
    throw InputError("camera", "weights",
                     fmt::format("{}, the detector's size", shape_text(detector_height_, detector_width_)),
                     shape_text(weights.height(), weights.width()));
  }
  check_values(weights.values(), weights.width(), "weights");
  if (std::ranges::all_of(weights.values(), [](float w) { return w == 0; })) {
    throw InputError("camera", "weights", "at least one pixel above 0", "0 everywhere");
  }
  if (root_weights_.empty()) root_weights_ = Image(detector_height_, detector_width_);
  for (std::size_t i = 0; i < weights.size(); ++i) root_weights_.data()[i] = std::sqrt(weights.data()[i]);
}

void Camera::weigh(Image& y) const {
  if (!weighted()) return;
  check_measurement(y, "camera");
  for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] *= root_weights_.data()[i];
}

std::vector<double> Camera::offsets() const {
  std::vector<double> offsets;
  for (int b = 0; b < bands(); ++b) offsets.push_back(offset(b));
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
    const double a = weighted() ? static_cast<double>(y.values()[i]) * root_weights_.values()[i] : y.values()[i];
    const double b = z.values()[i];
    yy += a * a;
    zz += b * b;
    yz += a * b;
  }
  // ‖y − a·z‖² is least for a = yz/zz, and is then yy − yz²/zz.
  const double explained = zz > 0 ? yz * yz / zz : 0;
  return std::sqrt(std::max(0.0, yy - explained) / yy);
}

void Camera::check_measurement(const ImageView& y, const std::string& source) const {
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
        accumulate(x.row(b, source_row), masked ? mask_row(b, source_row) : nullptr, weight, width(),
                   out + first_column);
      }
    }
    if (masked && weighted()) {
      const float* root = root_weights_.row(r);
      for (int i = 0; i < detector_width_; ++i) out[i] *= root[i];
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
    const auto near_row = [&](const Image& image) {
      return axis_ == Axis::columns ? image.row(r) + whole : image.row(r + whole);
    };
    const std::ptrdiff_t next = axis_ == Axis::columns ? 1 : detector_width_;  // pixel along the dispersion
    const float* near = near_row(y);
    float* __restrict out = x.row(b, r);
    if (masked && weighted()) {
      const float* root = near_row(root_weights_);
      for (int i = 0; i < width(); ++i) out[i] = (1 - fraction) * near[i] * root[i];
      if (fraction > 0) {
        for (int i = 0; i < width(); ++i) out[i] += fraction * near[i + next] * root[i + next];
      }
    } else if (fraction > 0) {
      const float* far = near + next;
      for (int i = 0; i < width(); ++i) out[i] = (1 - fraction) * near[i] + fraction * far[i];
    } else {
      std::copy_n(near, width(), out);
    }
    if (masked) {
      const float* mask = mask_row(b, r);
      for (int i = 0; i < width(); ++i) out[i] *= mask[i];
    }
  }
}

bool Camera::same_positions(const Camera& other) const { return axis_ == other.axis_ && shifts_ == other.shifts_; }

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
  // (ΦΦᵀ)_pp = w_p Σ_b Σ_taps (weight · mask)²: a cube of masks seen by a camera with squared weights.
  Image squares(detector_height_, detector_width_);
  for (int b = 0; b < bands(); ++b) {
    const auto [whole, fraction] = shifts_[static_cast<std::size_t>(b)];
    for (int tap = 0; tap < (fraction > 0 ? 2 : 1); ++tap) {
      const float weight = tap == 0 ? 1 - fraction : fraction;
      const int down = axis_ == Axis::rows ? whole + tap : 0;
      const int right = axis_ == Axis::columns ? whole + tap : 0;
      for (int r = 0; r < height(); ++r) {
        accumulate(mask_row(b, r), mask_row(b, r), weight * weight, width(), squares.row(r + down) + right);
      }
    }
  }
  for (std::size_t i = 0; i < root_weights_.size(); ++i) {
    squares.data()[i] *= root_weights_.data()[i] * root_weights_.data()[i];
  }
  return squares;
}

Image Camera::off_diagonal() const {
  // (ΦΦᵀ)_{p,p+1} = √(w_p w_{p+1}) Σ_b f_b (1 − f_b) mask_b²: the voxels that give light to both.
  Image products(detector_height_, detector_width_);
  for (int b = 0; b < bands(); ++b) {
    const auto [whole, fraction] = shifts_[static_cast<std::size_t>(b)];
    if (!(fraction > 0)) continue;
    const int down = axis_ == Axis::rows ? whole : 0;
    const int right = axis_ == Axis::columns ? whole : 0;
    for (int r = 0; r < height(); ++r) {
      accumulate(mask_row(b, r), mask_row(b, r), fraction * (1 - fraction), width(), products.row(r + down) + right);
    }
  }
  if (weighted()) {
    const std::size_t next = axis_ == Axis::columns ? 1 : static_cast<std::size_t>(detector_width_);
    for (std::size_t i = 0; i + next < products.size(); ++i) {
      products.data()[i] *= root_weights_.data()[i] * root_weights_.data()[i + next];
    }
  }
  return products;
}

Image Camera::row_sums() const {
  const Cube spread = adjoint(Image(detector_height_, detector_width_, 1.0f));
  return forward(spread);
}

}  // namespace snapcube
