#include "render/colour.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "render/colour_tables.h"

namespace snapcube {
namespace {

constexpr double kTableLast = 780;

double interpolate(const std::array<double, 81>& table, double nm) {
  const double position = (std::clamp(nm, kTableFirst, kTableLast) - kTableFirst) / kTableStep;
  const auto index = std::min(static_cast<std::size_t>(position), table.size() - 2);
  const double t = position - static_cast<double>(index);
  return (1 - t) * table[index] + t * table[index + 1];
}

/// XYZ of sRGB's white, (1,1,1).
constexpr Triple kWhite = {0.95047, 1.0, 1.08883};

Triple sum(std::span<const Triple> values) {
  Triple total{};
  for (const Triple& v : values) {
    for (int i = 0; i < 3; ++i) total[i] += v[i];
  }
  return total;
}

/// Adds the integral from `left` to `right` nm for a spectrum that goes linearly from band a's
/// value to band b's.
void integrate_interval(double left, double right, Triple& a, Triple& b) {
  const int steps = std::max(1, static_cast<int>(std::ceil(std::min(right - left, 1e4))));
  const double step = (right - left) / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = (i + 0.5) / steps;
    const double nm = left + (right - left) * t;
    const Triple matching = colour_matching(nm);
    const double light = d65(nm) * step;
    for (int k = 0; k < 3; ++k) {
      a[k] += (1 - t) * matching[k] * light;
      b[k] += t * matching[k] * light;
    }
  }
}

}  // namespace

Triple colour_matching(double nm) {
  if (!(nm >= kTableFirst && nm <= kTableLast)) return {0, 0, 0};
  return {interpolate(kMatchingX, nm), interpolate(kMatchingY, nm), interpolate(kMatchingZ, nm)};
}

double d65(double nm) { return interpolate(kD65, nm); }

Triple linear_srgb(const Triple& xyz) {
  // The inverse of the primaries' matrix of IEC 61966-2-1, scaled so that kWhite gives (1,1,1).
  return {3.2404542 * xyz[0] - 1.5371385 * xyz[1] - 0.4985314 * xyz[2],
          -0.9692660 * xyz[0] + 1.8760108 * xyz[1] + 0.0415560 * xyz[2],
          0.0556434 * xyz[0] - 0.2040259 * xyz[1] + 1.0572252 * xyz[2]};
}

double encode_srgb(double linear) {
  if (!(linear > 0)) return 0;
  if (linear >= 1) return 1;
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

std::uint8_t encode_srgb_byte(double linear) {
  return static_cast<std::uint8_t>(std::lround(255 * encode_srgb(linear)));
}

std::vector<Triple> xyz_weights(std::span<const double> wavelengths) {
  std::vector<Triple> weights(wavelengths.size(), Triple{});
  if (wavelengths.size() == 1) {
    weights[0] = colour_matching(wavelengths[0]);
    for (double& w : weights[0]) w *= d65(wavelengths[0]);
    return weights;
  }
  std::vector<std::size_t> order(wavelengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return wavelengths[i]; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    integrate_interval(wavelengths[order[i - 1]], wavelengths[order[i]], weights[order[i - 1]], weights[order[i]]);
  }
  return weights;
}

std::vector<Triple> srgb_weights(std::span<const double> wavelengths) {
  std::vector<Triple> weights = xyz_weights(wavelengths);
  const Triple flat = sum(weights);
  const double bands = static_cast<double>(wavelengths.size());
  for (Triple& w : weights) {
    const double y = flat[1] > 0 ? w[1] / flat[1] : 1 / bands;
    Triple xyz{};
    for (int k = 0; k < 3; ++k) {
      const bool dark = flat[k] <= 0.01 * flat[1];
      xyz[k] = kWhite[k] * (dark ? y : w[k] / flat[k]);
    }
    w = linear_srgb(xyz);
  }
  // The rounded matrix leaves white a few 1e-7 from (1,1,1); flat spectra must be exactly neutral.
  const Triple white = sum(weights);
  for (Triple& w : weights) {
    for (int k = 0; k < 3; ++k) w[k] /= white[k];
  }
  return weights;
}

Triple wavelength_tint(double nm) {
  const Triple xyz = colour_matching(nm);
  if (xyz[0] + xyz[1] + xyz[2] < 1e-3) return {1, 1, 1};
  Triple rgb = linear_srgb(xyz);
  // Pure spectral colours lie outside of sRGB: clip, then add some white, more to blue, which is
  // too dark to see.
  const double largest = *std::ranges::max_element(rgb);
  const double white = 0.03 + 0.10 * std::max(0.0, rgb[2] / largest);
  for (double& c : rgb) c = white + (1 - white) * std::max(0.0, c / largest);
  return rgb;
}

}  // namespace snapcube
