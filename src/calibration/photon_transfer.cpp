#include "calibration/photon_transfer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

/// Rounding to whole counts adds this variance.
constexpr double kRounding = 1.0 / 12;
/// A level with more full pixels is not used.
constexpr double kMostSaturated = 1e-3;
/// A level so far below the line of those before it is on its way to a full well.
constexpr double kFalls = 0.8;

struct Line {
  double slope = 0;
  double level = 0;
  double slope_error = 0;
};

struct PointOfLine {
  double signal;
  double variance;
  double pixels;
};

/// Weighted: the variance of a variance from n differences is 2σ⁴/n, with σ² that of the line itself.
Line fit(const std::vector<PointOfLine>& points) {
  Line line;
  for (int round = 0; round < 8; ++round) {
    double w0 = 0, w1 = 0, w2 = 0, v0 = 0, v1 = 0;
    for (const PointOfLine& p : points) {
      const double expected = round == 0 ? p.variance : line.level + line.slope * p.signal;
      const double w = p.pixels / (2 * std::max(expected * expected, 1e-12));
      w0 += w;
      w1 += w * p.signal;
      w2 += w * p.signal * p.signal;
      v0 += w * p.variance;
      v1 += w * p.variance * p.signal;
    }
    const double determinant = w0 * w2 - w1 * w1;
    if (!(determinant > 1e-12 * w0 * w2)) return {};
    line.slope = (w0 * v1 - w1 * v0) / determinant;
    line.level = (w2 * v0 - w1 * v1) / determinant;
    line.slope_error = std::sqrt(w0 / determinant);
  }
  return line;
}

}  // namespace

ExposureLevel exposure_level(const std::vector<Image>& frames, const Image& dark, const Image& good, double saturation,
                             const std::string& exposure) {
  ExposureLevel level;
  level.exposure = exposure;
  double full = 0;
  double all = 0;
  double signal = 0;
  double counted = 0;
  double squares = 0;
  double differences = 0;
  for (std::size_t k = 0; k + 1 < frames.size(); ++k) {
    const Image& a = frames[k];
    const Image& b = frames[k + 1];
    const auto usable = [&](std::size_t i) {
      return good.data()[i] != 0 && !(saturation > 0 && (a.data()[i] >= saturation || b.data()[i] >= saturation));
    };
    // A lamp that has become brighter from one to the other is no noise.
    double sum_a = 0;
    double sum_b = 0;
    double n = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (good.data()[i] == 0) continue;
      all += 1;
      if (!usable(i)) {
        full += 1;
        continue;
      }
      sum_a += a.data()[i] - dark.data()[i];
      sum_b += b.data()[i] - dark.data()[i];
      n += 1;
    }
    if (n < 16 || !(sum_a > 0) || !(sum_b > 0)) continue;
    signal += 0.5 * (sum_a + sum_b);
    counted += n;
    const double ratio = sum_a / sum_b;
    double limit = 1e30;
    double variance = 0;
    double used = 0;
    for (int round = 0; round < 3; ++round) {
      double sum = 0;
      used = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        if (!usable(i)) continue;
        const double d = (a.data()[i] - dark.data()[i]) - ratio * (b.data()[i] - dark.data()[i]);
        if (d * d > limit) continue;  // a cosmic ray
        sum += d * d;
        used += 1;
      }
      variance = sum / std::max(used, 1.0);
      limit = 49 * variance;
    }
    squares += variance / (1 + ratio * ratio) * used;
    differences += used;
  }
  level.saturated = all > 0 ? full / all : 1;
  level.pixels = differences;
  level.signal = counted > 0 ? signal / counted : 0;
  level.variance = differences > 0 ? squares / differences : 0;
  return level;
}

PhotonTransfer photon_transfer(std::vector<ExposureLevel>& levels, double dark_variance, double dark_pixels,
                               bool rounded, const std::string& source) {
  std::ranges::stable_sort(levels, {}, &ExposureLevel::signal);
  std::vector<PointOfLine> points;
  if (dark_variance > 0) points.push_back({0, dark_variance, dark_pixels});
  std::size_t usable = 0;
  Line line;
  for (ExposureLevel& level : levels) {
    if (!(level.pixels > 0) || !(level.signal > 0) || !(level.variance > 0) || level.saturated > kMostSaturated)
      continue;
    if (points.size() >= 3 && level.variance < kFalls * (line.level + line.slope * level.signal)) continue;
    points.push_back({level.signal, level.variance, level.pixels});
    level.used = true;
    ++usable;
    if (points.size() >= 2) line = fit(points);
  }
  if (usable < 2 || !(line.slope > 0)) {
    throw InputError(source, "exposures", "at least two of different brightness, two frames each, without full pixels",
                     usable < 2 ? fmt::format("{} of {} usable", usable, levels.size())
                                : std::string("a variance that does not grow with the light"));
  }
  PhotonTransfer result;
  result.gain = 1 / line.slope;
  result.gain_error = line.slope_error / (line.slope * line.slope);
  const double noise = std::max(0.0, line.level - (rounded ? kRounding : 0));
  result.read_noise = std::sqrt(noise) * result.gain;
  return result;
}

}  // namespace snapcube
