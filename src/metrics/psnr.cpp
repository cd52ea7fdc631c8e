#include <snapcube/metrics.h>

#include "metrics/common.h"

namespace snapcube {

namespace {

constexpr double kPerfect = 100;

/// Mean of (value(a) − value(b))² over a band.
template <typename Value>
double mean_squared_error(const float* a, const float* b, std::size_t size, Value value) {
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double d = value(a[i]) - value(b[i]);
    sum += d * d;
  }
  return sum / static_cast<double>(size);
}

/// 256·x, halves to even as torch.round does. A product with a power of two is exact, so this
/// equals the float32 computation of the published code.
double toolbox_level(float x) { return std::nearbyint(256 * static_cast<double>(x)); }

double band_psnr(const float* a, const float* b, std::size_t size, Protocol protocol) {
  double error = 0;
  double peak = 255;
  switch (protocol) {
    case Protocol::toolbox:
      error = mean_squared_error(a, b, size, toolbox_level);
      break;
    case Protocol::uint8:
      error = mean_squared_error(a, b, size, level_of);
      break;
    case Protocol::float32:
      error = mean_squared_error(a, b, size, clamped);
      peak = 1;
      break;
  }
  return error == 0 ? kPerfect : 10 * std::log10(peak * peak / error);
}

}  // namespace

std::vector<double> psnr_per_band(const Cube& image, const Cube& truth, Protocol protocol) {
  check_same_shape(image, truth);
  std::vector<double> result(static_cast<std::size_t>(image.bands()));
#pragma omp parallel for
  for (int b = 0; b < image.bands(); ++b) {
    result[b] = band_psnr(image.band(b), truth.band(b), image.band_size(), protocol);
  }
  return result;
}

double psnr(const Cube& image, const Cube& truth, Protocol protocol) {
  return mean_of(psnr_per_band(image, truth, protocol));
}

}  // namespace snapcube
