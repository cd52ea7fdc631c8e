#include "engine/canonical_capture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace snapcube::engine {

namespace {

/// Below this part of the mean, a detector pixel sees no light.
constexpr double kDarkest = 1e-3;

void room(Memory& memory, std::size_t floats) {
  if (memory.size() < floats) memory = Memory(floats);
}

}  // namespace

void CanonicalCapture::place_bands(const Camera& camera) {
  transposed_ = camera.axis() == Axis::rows;
  height_ = transposed_ ? camera.width() : camera.height();
  const int width = transposed_ ? camera.height() : camera.width();
  const int span = (transposed_ ? camera.detector_height() : camera.detector_width()) - width;
  positions_ = camera.offsets();
  mirrored_ = positions_.back() < positions_.front();
  if (mirrored_) {
    for (double& p : positions_) p = span - p;
  }
  order_.resize(positions_.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::ranges::stable_sort(order_, {}, [this](int b) { return positions_[static_cast<std::size_t>(b)]; });
  std::ranges::sort(positions_);
  dispersion_ = Dispersion(positions_, width);
}

void CanonicalCapture::read(const ImageView& measurement, const Camera& camera) {
  const int count = detector_width();
  const auto copy = [&](const ImageView& from, Memory& to) {
    for (int y = 0; y < height_; ++y) {
      float* out = row(to, y);
      for (int i = 0; i < count; ++i) {
        const int x = mirrored_ ? count - 1 - i : i;
        out[i] = transposed_ ? from(x, y) : from(y, x);
      }
    }
  };
  copy(measurement, measurement_);
  weighted_ = camera.weighted();
  if (weighted_) {
    copy(camera.root_weights(), roots_);
    const std::size_t pixels = static_cast<std::size_t>(height_) * static_cast<std::size_t>(count);
    for (std::size_t i = 0; i < pixels; ++i) {
      float& value = measurement_.data()[i];
      value = roots_.data()[i] > 0 ? value / roots_.data()[i] : 0.0f;
    }
  }
  const int n = width();
  for (int b = 0; b < (plain_ ? 1 : bands()); ++b) {
    const int band = plain_ ? 0 : order_[static_cast<std::size_t>(b)];
    for (int y = 0; y < height_; ++y) {
      float* out =
          masks_.data() +
          (static_cast<std::size_t>(b) * static_cast<std::size_t>(height_) + static_cast<std::size_t>(y)) * mask_row_;
      for (int i = 0; i < n; ++i) {
        const int x = mirrored_ ? n - 1 - i : i;
        out[i] = transposed_ ? camera.mask_row(band, x)[y] : camera.mask_row(band, y)[x];
      }
    }
  }
}

// Sums over rows are added in the order of the rows.
void CanonicalCapture::solve_units() {
  const auto count = static_cast<std::size_t>(detector_width());
  double light = 0;
  double measured = 0;
  double diagonal_sum = 0;
  std::size_t open = 0;
  for (int y = 0; y < height_; ++y) {
    float* flat = row(flat_, y);
    project_row(dispersion_, {ones_.data(), 0}, masks(y), flat);
    gram_row(dispersion_, masks(y), row(diagonal_, y), dispersion_.is_whole() ? nullptr : row(next_, y));
    const float* roots = this->roots(y);
    float* diagonal = row(diagonal_, y);
    for (std::size_t i = 0; i < count; ++i) {
      const float weight = roots ? roots[i] * roots[i] : 1.0f;
      light += static_cast<double>(weight) * flat[i];
      measured += static_cast<double>(weight) * row(measurement_, y)[i];
      diagonal[i] *= weight;
      diagonal_sum += diagonal[i];
      open += diagonal[i] > 0 ? 1 : 0;
      if (!dispersion_.is_whole() && roots) row(next_, y)[i] *= i + 1 < count ? roots[i] * roots[i + 1] : 0.0f;
    }
  }
  const double mean = light > 0 ? measured / light : 0;
  brightness_ = mean > 0 && std::isfinite(mean) ? mean : 1;
  scale_ = open > 0 ? diagonal_sum / static_cast<double>(open) : 1;
  const auto darkest =
      static_cast<float>(kDarkest * light / (static_cast<double>(height_) * static_cast<double>(count)));
  const auto divisor = static_cast<float>(brightness_);
  for (int y = 0; y < height_; ++y) {
    float* values = row(measurement_, y);
    for (std::size_t i = 0; i < count; ++i) values[i] /= divisor;
    level_row(values, row(flat_, y), roots(y), darkest, detector_width(), row(level_, y));
  }
}

void CanonicalCapture::take(const ImageView& measurement, const Camera& camera) {
  place_bands(camera);
  plain_ = camera.plain();
  mask_row_ = static_cast<std::size_t>(width());
  const std::size_t floats = static_cast<std::size_t>(height_) * static_cast<std::size_t>(detector_width());
  for (Memory* memory : {&measurement_, &diagonal_, &level_, &flat_}) room(*memory, floats);
  if (camera.weighted()) room(roots_, floats);
  if (!dispersion_.is_whole()) room(next_, floats);
  room(masks_, static_cast<std::size_t>(plain_ ? 1 : bands()) * static_cast<std::size_t>(height_) * mask_row_);
  ones_.assign(mask_row_, 1.0f);
  read(measurement, camera);
  solve_units();
}

void CanonicalCapture::put(int band, int y, const float* values, const CubeView& out) const {
  const int b = order_[static_cast<std::size_t>(band)];
  const int n = width();
  for (int i = 0; i < n; ++i) {
    const int x = mirrored_ ? n - 1 - i : i;
    (transposed_ ? out.row(b, x)[y] : out.row(b, y)[x]) = values[i];
  }
}

void CanonicalCapture::put(int y, const float* values, Image& out) const {
  const int n = width();
  for (int i = 0; i < n; ++i) {
    const int x = mirrored_ ? n - 1 - i : i;
    (transposed_ ? out(x, y) : out(y, x)) = values[i];
  }
}

std::size_t CanonicalCapture::bytes() const {
  std::size_t floats = 0;
  for (const Memory* memory : {&measurement_, &roots_, &diagonal_, &next_, &level_, &flat_, &masks_})
    floats += memory->size();
  return floats * sizeof(float);
}

}  // namespace snapcube::engine
