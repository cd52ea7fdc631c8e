#include "calibration/dark_frames.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace snapcube {

namespace {

/// Of a normal distribution the deviation is so many times the median distance from the median.
constexpr double kMedianToDeviation = 1.4826;
/// A pixel so many deviations off its like is hot.
constexpr double kHot = 8;
/// And one whose variance is so many times the usual one.
constexpr double kNoisy = 30;

double median(std::vector<float>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void DarkFrames::add(const Image& counts) {
  ++frames_;
  if (frames_ == 1) {
    mean_ = counts;
    squares_ = Image(counts.height(), counts.width());
    return;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const float off = counts.data()[i] - mean_.data()[i];
    mean_.data()[i] += off / static_cast<float>(frames_);
    squares_.data()[i] += off * (counts.data()[i] - mean_.data()[i]);
  }
}

DarkFinding DarkFrames::finding() const {
  DarkFinding result;
  result.frames = frames_;
  result.mean = mean_;
  result.hot = Image(mean_.height(), mean_.width());
  std::vector<float> values(mean_.values().begin(), mean_.values().end());
  result.black_level = median(values);
  for (float& v : values) v = std::fabs(v - static_cast<float>(result.black_level));
  const double distance = kMedianToDeviation * median(values);

  // The mean of the pixels' variances, those left out that belong to no common distribution.
  double variance = 0;
  if (frames_ > 1) {
    const double freedom = frames_ - 1;
    double limit = 1e30;
    for (int round = 0; round < 4; ++round) {
      double sum = 0;
      double count = 0;
      for (const float s : squares_.values()) {
        const double v = s / freedom;
        if (v > limit) continue;
        sum += v;
        count += 1;
      }
      variance = count > 0 ? sum / count : 0;
      limit = variance * (1 + 12 * std::sqrt(2 / freedom));
    }
    result.noise = std::sqrt(variance);
  }
  const double left = frames_ > 1 ? result.noise / std::sqrt(static_cast<double>(frames_)) : 0;
  const double usual = std::max({distance, left, 0.5});
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    const double off = mean_.data()[i] - result.black_level;
    const bool noisy = frames_ > 3 && variance > 0 && squares_.data()[i] / (frames_ - 1.0) > kNoisy * variance;
    if (off > kHot * usual || noisy) {
      result.hot.data()[i] = 1;
      ++result.hot_count;
      continue;
    }
    sum += off * off;
    count += 1;
  }
  result.spread = count > 0 ? std::sqrt(sum / count) : 0;
  result.pattern = frames_ > 1 && result.spread > 1.2 * left;
  return result;
}

}  // namespace snapcube
