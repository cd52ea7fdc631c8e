#include "samples/lamp.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace snapcube {

namespace {

constexpr double kSpread = 0.7;  ///< the largest s
constexpr int kWaves = 3;
constexpr int kMostPeaks = 5;
constexpr double kNarrowest = 0.5;    ///< peaks, in bands
constexpr double kWidest = 0.25;      ///< peaks, as a part of the range
constexpr double kDarkest = 0.05;     ///< f, the light between the peaks
constexpr double kLowestPeak = 0.25;  ///< the least h

std::vector<double> smooth_spectrum(Random& random, int bands) {
  std::vector<double> values(static_cast<std::size_t>(bands));
  const double spread = random.uniform(0, kSpread);
  for (int k = 1; k <= kWaves; ++k) {
    const double height = spread * random.normal() / k;
    for (int b = 0; b < bands; ++b) {
      values[static_cast<std::size_t>(b)] += height * std::cos(std::numbers::pi * k * (b + 0.5) / bands);
    }
  }
  for (double& v : values) v = std::exp(v);
  return values;
}

std::vector<double> peaks(Random& random, int bands) {
  std::vector<double> values(static_cast<std::size_t>(bands), random.uniform(kDarkest, 1));
  const auto count = 1 + random.below(kMostPeaks);
  const double widths = std::log(std::max(1.0, kWidest * bands / kNarrowest));
  for (std::uint32_t j = 0; j < count; ++j) {
    const double height = random.uniform(kLowestPeak, 1);
    const double centre = random.uniform(0, bands - 1);
    const double width = kNarrowest * std::exp(random.uniform(0, widths));
    for (int b = 0; b < bands; ++b) {
      const double distance = (b - centre) / width;
      values[static_cast<std::size_t>(b)] += height * std::exp(-0.5 * distance * distance);
    }
  }
  return values;
}

}  // namespace

std::vector<float> lamp_spectrum(Random& random, int bands) {
  std::vector<double> values = smooth_spectrum(random, bands);
  if (random.below(2) == 0) {
    const std::vector<double> factors = peaks(random, bands);
    std::ranges::transform(values, factors, values.begin(), std::multiplies());
  }
  const double most = *std::ranges::max_element(values);
  std::vector<float> spectrum;
  spectrum.reserve(values.size());
  for (const double v : values) spectrum.push_back(static_cast<float>(v / most));
  return spectrum;
}

}  // namespace snapcube
