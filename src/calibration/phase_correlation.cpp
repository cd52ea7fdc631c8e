#include "calibration/phase_correlation.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "calibration/fourier.h"

namespace snapcube {

namespace {

/// Sides of a transform that still takes well below a second.
constexpr int kLargestSide = 1024;

/// Sums of bin × bin pixels, padded with zeros; a frame's border fades out, so that it is not what is found.
Spectrum spectrum_of(const Image& image, int bin, int height, int width) {
  constexpr double kFade = 0.06;
  Spectrum result{height, width, std::vector<std::complex<float>>(static_cast<std::size_t>(height) * width)};
  const auto fade = [](int i, int n) {
    const double edge = std::min(i + 0.5, n - i - 0.5) / (kFade * n);
    return static_cast<float>(edge >= 1 ? 1 : 0.5 - 0.5 * std::cos(std::numbers::pi * edge));
  };
  for (int y = 0; y < image.height() / bin * bin; ++y) {
    const float down = fade(y, image.height());
    for (int x = 0; x < image.width() / bin * bin; ++x) {
      result.values[static_cast<std::size_t>(y / bin) * width + x / bin] += down * fade(x, image.width()) * image(y, x);
    }
  }
  return result;
}

/// Of the parabola through three values next to each other, where the middle one is the largest.
double vertex(double before, double at, double after) {
  const double bend = before - 2 * at + after;
  return bend < 0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0;
}

}  // namespace

Shift phase_correlation(const Image& from, const Image& to) {
  const int longest = std::max(from.height(), from.width());
  const int bin = (longest + kLargestSide - 1) / kLargestSide;
  const int height = power_of_two(from.height() / bin);
  const int width = power_of_two(from.width() / bin);
  Spectrum a = spectrum_of(from, bin, height, width);
  Spectrum b = spectrum_of(to, bin, height, width);
  fourier(a, false);
  fourier(b, false);
  double mean = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    a.values[i] = std::conj(a.values[i]) * b.values[i];
    mean += std::abs(a.values[i]);
  }
  mean /= static_cast<double>(a.values.size());
  if (!(mean > 0)) return {};
  // Frequencies with hardly any light have the phases of noise: they are not lifted all the way.
  const auto floor = static_cast<float>(0.05 * mean);
  for (int y = 0; y < height; ++y) {
    const double v = 2 * std::numbers::pi * std::min(y, height - y) / height;
    for (int x = 0; x < width; ++x) {
      const double u = 2 * std::numbers::pi * std::min(x, width - x) / width;
      std::complex<float>& c = a.values[static_cast<std::size_t>(y) * width + x];
      c *= static_cast<float>(std::exp(-0.5 * (u * u + v * v))) / (std::abs(c) + floor);
    }
  }
  fourier(a, true);
  const auto at = [&](int y, int x) {
    return static_cast<double>(
        a.values[static_cast<std::size_t>((y + height) % height) * width + (x + width) % width].real());
  };
  int best_y = 0;
  int best_x = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (at(y, x) > at(best_y, best_x)) {
        best_y = y;
        best_x = x;
      }
    }
  }
  const double peak = at(best_y, best_x);
  const double dx = best_x + vertex(at(best_y, best_x - 1), peak, at(best_y, best_x + 1));
  const double dy = best_y + vertex(at(best_y - 1, best_x), peak, at(best_y + 1, best_x));
  return {bin * (dx > width / 2.0 ? dx - width : dx), bin * (dy > height / 2.0 ? dy - height : dy)};
}

}  // namespace snapcube
