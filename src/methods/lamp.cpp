#include "methods/lamp.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace snapcube {

namespace {

/// Where band b of n lies in −1 … 1.
double place(std::size_t b, std::size_t n) {
  return n > 1 ? 2.0 * static_cast<double>(b) / static_cast<double>(n - 1) - 1 : 0.0;
}

struct Parabola {
  double c0 = 0;
  double c1 = 0;
  double c2 = 0;
  double at(double u) const { return c0 + u * (c1 + u * c2); }
};

/// Least squares. The places lie evenly around 0, so that odd and even powers do not mix.
Parabola fit(const std::vector<float>& values) {
  const std::size_t n = values.size();
  double u2 = 0;
  double u4 = 0;
  double v0 = 0;
  double v1 = 0;
  double v2 = 0;
  for (std::size_t b = 0; b < n; ++b) {
    const double u = place(b, n);
    u2 += u * u;
    u4 += u * u * u * u;
    v0 += values[b];
    v1 += values[b] * u;
    v2 += values[b] * u * u;
  }
  const auto count = static_cast<double>(n);
  const double determinant = count * u4 - u2 * u2;
  if (n < 3 || !(determinant > 0)) return {.c0 = v0 / count};
  return {.c0 = (v0 * u4 - v2 * u2) / determinant, .c1 = v1 / u2, .c2 = (count * v2 - u2 * v0) / determinant};
}

}  // namespace

void lines_of(const Cube& cube, std::vector<float>& gains) {
  constexpr double kDarkest = 1e-6;  // of the brightest band
  const auto bands = static_cast<std::size_t>(cube.bands());
  gains.assign(bands, 1.0f);
  double most = 0;
  const auto mean = [&](std::size_t b) {
    double sum = 0;
    for (const float *v = cube.band(static_cast<int>(b)), *end = v + cube.band_size(); v != end; ++v) {
      sum += std::max(*v, 0.0f);
    }
    return sum / static_cast<double>(cube.band_size());
  };
  for (std::size_t b = 0; b < bands; ++b) {
    gains[b] = static_cast<float>(mean(b));
    most = std::max<double>(most, gains[b]);
  }
  if (!(most > 0)) return gains.assign(bands, 1.0f);
  for (float& v : gains) v = static_cast<float>(std::log(std::max(v / most, kDarkest)));
  const Parabola smooth = fit(gains);
  double sum = 0;
  for (std::size_t b = 0; b < bands; ++b) {
    gains[b] = static_cast<float>(std::exp(gains[b] - smooth.at(place(b, bands))));
    sum += gains[b];
  }
  for (float& v : gains) {
    v = static_cast<float>(std::max(v * static_cast<double>(bands) / sum, kLeastGain));
  }
}

void multiply_bands(Cube& x, const std::vector<float>& gains) {
#pragma omp parallel for schedule(static)
  for (int b = 0; b < x.bands(); ++b) {
    const float gain = gains[static_cast<std::size_t>(b)];
    float* band = x.band(b);
    for (std::size_t i = 0; i < x.band_size(); ++i) band[i] *= gain;
  }
}

Camera with_gains(const Camera& camera, const std::vector<float>& gains) {
  CameraOptions options;
  options.bands = camera.bands();
  options.axis = camera.axis();
  options.offsets = camera.offsets();
  options.wavelengths = camera.wavelengths();
  Cube masks(camera.bands(), camera.height(), camera.width());
  for (int b = 0; b < masks.bands(); ++b) {
    for (int y = 0; y < masks.height(); ++y) std::copy_n(camera.mask_row(b, y), masks.width(), masks.row(b, y));
  }
  multiply_bands(masks, gains);
  Camera result(std::move(masks), std::move(options));
  if (camera.weighted()) {
    Image weights = camera.root_weights();
    for (float& w : weights.values()) w *= w;
    result.set_weights(weights);
  }
  return result;
}

}  // namespace snapcube
