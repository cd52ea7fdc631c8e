#include "calibration/band_images.h"

#include <algorithm>
#include <cmath>

#include "calibration/sampling.h"

namespace snapcube {

namespace {

/// A capture whose wavelength is so near, in spacings, is the band's own.
constexpr double kOwn = 0.1;
/// What the image between its pixels counts against the image at its pixels.
constexpr double kTrust = 0.05;

}  // namespace

std::vector<CaptureShare> capture_shares(const std::vector<double>& captures, double band) {
  // The spacing around the band: that of the captures on both sides of it.
  std::size_t right = 1;
  while (right + 1 < captures.size() && captures[right] < band) ++right;
  const double spacing = std::max(captures[right] - captures[right - 1], 1e-6);
  const auto distance = [&](std::size_t k) { return std::fabs(captures[k] - band) / spacing; };
  std::vector<CaptureShare> shares;
  for (std::size_t k = 0; k < captures.size(); ++k) shares.push_back({k, 0});
  std::ranges::stable_sort(shares, {}, [&](const CaptureShare& s) { return distance(s.capture); });
  if (distance(shares[0].capture) < kOwn) {
    shares[0].weight = 1;
  } else {
    // Between two captures: linear.
    const double way = std::clamp((band - captures[right - 1]) / spacing, 0.0, 1.0);
    for (CaptureShare& share : shares) {
      if (share.capture == right) share.weight = way;
      if (share.capture == right - 1) share.weight = 1 - way;
    }
  }
  return shares;
}

Image band_image(const AlignedCaptures& captures, double wavelength, const Similarity& motion, const Region& area) {
  const std::vector<CaptureShare> shares = capture_shares(captures.wavelengths, wavelength);
  Image result(area.height, area.width);
  Image known(area.height, area.width);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < area.height; ++y) {
    for (int x = 0; x < area.width; ++x) {
      const Place on_mask =
          motion.undo({static_cast<double>(area.left + x), static_cast<double>(area.top + y)}, captures.centre);
      double sum = 0;
      double weight = 0;
      for (const CaptureShare& share : shares) {
        // Stand-ins only where the band's own captures know nothing.
        if (share.weight == 0 && weight > 0) break;
        const Place at = captures.motions[share.capture].apply(on_mask, captures.centre);
        const Sample sample = lanczos(captures.frames[share.capture], captures.good[share.capture], at.x, at.y);
        const double w = std::max(share.weight, 1e-3) * sample.good_share;
        sum += w * sample.value;
        weight += w;
      }
      if (weight > 0) {
        result(y, x) = static_cast<float>(sum / weight);
        known(y, x) = 1;
      }
    }
  }
  fill_bad(result, known);
  return result;
}

Image mask_of(const Image& band, double position, int width) {
  const int whole = static_cast<int>(std::floor(position));
  const double f = position - whole;
  Image mask(band.height(), width);
  // Normal equations of a row: tridiagonal, alike for all rows.
  const double diagonal = (1 - f) * (1 - f) + f * f + kTrust;
  const double beside = f * (1 - f);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < band.height(); ++y) {
    std::vector<double> above(static_cast<std::size_t>(width));
    std::vector<double> value(static_cast<std::size_t>(width));
    const auto seen = [&](int x) { return x < band.width() ? static_cast<double>(band(y, x)) : 0.0; };
    for (int x = 0; x < width; ++x) {
      const double guess = lanczos(band, {}, x + position, y).value;
      const double side = (1 - f) * seen(x + whole) + (f > 0 ? f * seen(x + whole + 1) : 0.0) + kTrust * guess;
      const double pivot = diagonal - (x > 0 ? beside * above[static_cast<std::size_t>(x) - 1] : 0.0);
      above[static_cast<std::size_t>(x)] = beside / pivot;
      value[static_cast<std::size_t>(x)] =
          (side - (x > 0 ? beside * value[static_cast<std::size_t>(x) - 1] : 0.0)) / pivot;
    }
    for (int x = width - 2; x >= 0; --x) {
      value[static_cast<std::size_t>(x)] -= above[static_cast<std::size_t>(x)] * value[static_cast<std::size_t>(x) + 1];
    }
    for (int x = 0; x < width; ++x) mask(y, x) = static_cast<float>(std::max(0.0, value[static_cast<std::size_t>(x)]));
  }
  return mask;
}

}  // namespace snapcube
