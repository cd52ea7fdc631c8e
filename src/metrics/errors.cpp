// Measures made of plain squared errors, on the values as they are (neither clamped nor rounded).

#include <snapcube/metrics.h>

#include "metrics/common.h"

namespace snapcube {

namespace {

struct BandError {
  double squares = 0;  ///< Σ (image − truth)²
  double truth = 0;    ///< Σ truth
};

std::vector<BandError> band_errors(const Cube& image, const Cube& truth) {
  check_same_shape(image, truth);
  std::vector<BandError> result(static_cast<std::size_t>(image.bands()));
#pragma omp parallel for
  for (int b = 0; b < image.bands(); ++b) {
    const float* p = image.band(b);
    const float* q = truth.band(b);
    BandError sum;
    for (std::size_t i = 0; i < image.band_size(); ++i) {
      const double d = static_cast<double>(p[i]) - q[i];
      sum.squares += d * d;
      sum.truth += q[i];
    }
    result[b] = sum;
  }
  return result;
}

}  // namespace

double ergas(const Cube& image, const Cube& truth) {
  const auto pixels = static_cast<double>(image.band_size());
  double sum = 0;
  int counted = 0;
  for (const BandError& band : band_errors(image, truth)) {
    if (band.truth == 0) continue;
    const double mean = band.truth / pixels;
    sum += band.squares / pixels / (mean * mean);
    ++counted;
  }
  return 100 * std::sqrt(sum / counted);
}

double rmse(const Cube& image, const Cube& truth) {
  double sum = 0;
  for (const BandError& band : band_errors(image, truth)) sum += band.squares;
  return 255 * std::sqrt(sum / static_cast<double>(image.size()));
}

}  // namespace snapcube
