#include "calibration/refine_mask.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <snapcube/mask.h>

namespace snapcube {

namespace {

/// Weights of the pixels at −1, 0, 1, 2 for a place `t` behind pixel 0.
std::array<float, 4> weights_at(MaskReading reading, float t) {
  if (reading == MaskReading::linear) return {0, 1 - t, t, 0};
  // Keys' cubic convolution, a = −1/2.
  return {t * (-0.5f + t * (1 - 0.5f * t)), 1 + t * t * (-2.5f + 1.5f * t), t * (0.5f + t * (2 - 1.5f * t)),
          t * t * (-0.5f + 0.5f * t)};
}

/// One direction of blurred_mask: `stride` floats to the neighbour along it.
void blur_along(Image& mask, bool columns, float v) {
  const Image from = mask;
  for (int y = 0; y < mask.height(); ++y) {
    for (int x = 0; x < mask.width(); ++x) {
      const float before = columns ? from(y, std::max(0, x - 1)) : from(std::max(0, y - 1), x);
      const float after =
          columns ? from(y, std::min(mask.width() - 1, x + 1)) : from(std::min(mask.height() - 1, y + 1), x);
      mask(y, x) = (1 - v) * from(y, x) + 0.5f * v * (before + after);
    }
  }
}

double mean_of(const Image& mask) {
  double sum = 0;
  for (const float v : mask.values()) sum += v;
  return sum / static_cast<double>(mask.size());
}

}  // namespace

MaskReading reading_of(const Image& mask) {
  return inspect_mask(mask).binary ? MaskReading::linear : MaskReading::cubic;
}

void sample_mask(const Image& mask, MaskReading reading, const MaskLine& line, int count, float* out) {
  const int height = mask.height();
  const int width = mask.width();
  const int first = reading == MaskReading::linear ? 0 : -1;
  const int last = reading == MaskReading::linear ? 1 : 2;
  // Almost every line lies inside: four pixels a place, and nothing to watch.
  const auto inside = [&](double at) {
    const double r = line.row + at * line.row_step;
    const double c = line.column + at * line.column_step;
    return r >= 0 && c >= 0 && r < height - 1 && c < width - 1;
  };
  if (reading == MaskReading::linear && inside(0) && inside(count - 1)) {
    for (int i = 0; i < count; ++i) {
      const double row = line.row + i * line.row_step;
      const double column = line.column + i * line.column_step;
      const int r = static_cast<int>(row);
      const int c = static_cast<int>(column);
      const auto down = static_cast<float>(row - r);
      const auto right = static_cast<float>(column - c);
      const float* here = mask.row(r) + c;
      const float* below = here + width;
      out[i] =
          (1 - down) * ((1 - right) * here[0] + right * here[1]) + down * ((1 - right) * below[0] + right * below[1]);
    }
    return;
  }
  for (int i = 0; i < count; ++i) {
    const double row = std::clamp(line.row + i * line.row_step, -1.0, static_cast<double>(height));
    const double column = std::clamp(line.column + i * line.column_step, -1.0, static_cast<double>(width));
    const int r = static_cast<int>(std::floor(row));
    const int c = static_cast<int>(std::floor(column));
    const auto down = weights_at(reading, static_cast<float>(row - r));
    const auto right = weights_at(reading, static_cast<float>(column - c));
    float sum = 0;
    for (int dy = first; dy <= last; ++dy) {
      const float* from = mask.row(std::clamp(r + dy, 0, height - 1));
      float along = 0;
      for (int dx = first; dx <= last; ++dx) {
        along += right[static_cast<std::size_t>(dx + 1)] * from[std::clamp(c + dx, 0, width - 1)];
      }
      sum += down[static_cast<std::size_t>(dy + 1)] * along;
    }
    out[i] = sum;
  }
}

Image blurred_mask(const Image& mask, double variance) {
  Image result = mask;
  if (variance == 0) return result;
  constexpr int kTimes = 4;
  for (int k = 0; k < kTimes; ++k) {
    blur_along(result, true, static_cast<float>(variance / kTimes));
    blur_along(result, false, static_cast<float>(variance / kTimes));
  }
  return result;
}

MaskContrast contrast_of(const Image& mask, double contrast) {
  return {static_cast<float>(contrast), static_cast<float>((1 - contrast) * mean_of(mask))};
}

double most_contrast(const Image& mask) {
  std::vector<float> values(mask.values().begin(), mask.values().end());
  const auto percentile = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 100);
  std::ranges::nth_element(values, percentile);
  const double mean = mean_of(mask);
  const double dark = std::max(0.0f, *percentile);
  // mean + c·(dark − mean) ≥ 0
  return mean > dark ? mean / (mean - dark) : 1.0;
}

}  // namespace snapcube
