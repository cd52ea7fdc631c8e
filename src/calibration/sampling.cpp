#include "calibration/sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace snapcube {

namespace {

constexpr int kLobes = 3;

/// sinc(t)·sinc(t/3) at the six pixels around, of sum 1.
void lanczos_weights(double fraction, double* weights) {
  double sum = 0;
  for (int i = 0; i < 2 * kLobes; ++i) {
    const double t = fraction + kLobes - 1 - i;
    const double a = std::numbers::pi * t;
    weights[i] = std::fabs(t) < 1e-9      ? 1
                 : std::fabs(t) >= kLobes ? 0
                                          : kLobes * std::sin(a) * std::sin(a / kLobes) / (a * a);
    sum += weights[i];
  }
  for (int i = 0; i < 2 * kLobes; ++i) weights[i] /= sum;
}

void cubic_weights(double t, double* w) {
  w[0] = t * (-0.5 + t * (1 - 0.5 * t));
  w[1] = 1 + t * t * (-2.5 + 1.5 * t);
  w[2] = t * (0.5 + t * (2 - 1.5 * t));
  w[3] = t * t * (-0.5 + 0.5 * t);
}

}  // namespace

Image smoothed(const Image& image, double deviation) {
  const int reach = std::max(1, static_cast<int>(std::ceil(3.5 * deviation)));
  std::vector<float> kernel(static_cast<std::size_t>(2 * reach + 1));
  double sum = 0;
  for (int i = -reach; i <= reach; ++i) sum += std::exp(-0.5 * i * i / (deviation * deviation));
  for (int i = -reach; i <= reach; ++i) {
    kernel[static_cast<std::size_t>(i + reach)] =
        static_cast<float>(std::exp(-0.5 * i * i / (deviation * deviation)) / sum);
  }
  const int height = image.height();
  const int width = image.width();
  Image along(height, width);
  Image result(height, width);
#pragma omp parallel
  {
    std::vector<float> line(static_cast<std::size_t>(width + 2 * reach));
#pragma omp for schedule(static)
    for (int y = 0; y < height; ++y) {
      const float* from = image.row(y);
      for (int x = -reach; x < width + reach; ++x)
        line[static_cast<std::size_t>(x + reach)] = from[std::clamp(x, 0, width - 1)];
      float* to = along.row(y);
      std::fill_n(to, width, 0.0f);
      for (int k = 0; k <= 2 * reach; ++k) {
        const float w = kernel[static_cast<std::size_t>(k)];
        const float* at = line.data() + k;
        for (int x = 0; x < width; ++x) to[x] += w * at[x];
      }
    }
#pragma omp for schedule(static)
    for (int y = 0; y < height; ++y) {
      float* to = result.row(y);
      for (int k = -reach; k <= reach; ++k) {
        const float w = kernel[static_cast<std::size_t>(k + reach)];
        const float* from = along.row(std::clamp(y + k, 0, height - 1));
        for (int x = 0; x < width; ++x) to[x] += w * from[x];
      }
    }
  }
  return result;
}

Image pattern_of(const Image& image, double deviation, double floor) {
  const Image mean = smoothed(image, deviation);
  Image result(image.height(), image.width());
  const auto least = static_cast<float>(floor);
  for (std::size_t i = 0; i < image.size(); ++i) {
    result.data()[i] = (image.data()[i] - mean.data()[i]) / std::max(mean.data()[i], least);
  }
  return result;
}

float cubic(const Image& image, double x, double y) {
  const int left = static_cast<int>(std::floor(x)) - 1;
  const int top = static_cast<int>(std::floor(y)) - 1;
  if (left < 0 || top < 0 || left + 3 >= image.width() || top + 3 >= image.height()) return 0;
  double across[4];
  double down[4];
  cubic_weights(x - (left + 1), across);
  cubic_weights(y - (top + 1), down);
  double sum = 0;
  for (int r = 0; r < 4; ++r) {
    const float* row = image.row(top + r) + left;
    sum += down[r] * (across[0] * row[0] + across[1] * row[1] + across[2] * row[2] + across[3] * row[3]);
  }
  return static_cast<float>(sum);
}

Sample lanczos(const Image& image, const Image& good, double x, double y) {
  const int left = static_cast<int>(std::floor(x)) - (kLobes - 1);
  const int top = static_cast<int>(std::floor(y)) - (kLobes - 1);
  double across[2 * kLobes];
  double down[2 * kLobes];
  lanczos_weights(x - std::floor(x), across);
  lanczos_weights(y - std::floor(y), down);
  double sum = 0;
  double weight = 0;
  double absolute = 0;
  double missing = 0;
  for (int r = 0; r < 2 * kLobes; ++r) {
    const int row = top + r;
    for (int c = 0; c < 2 * kLobes; ++c) {
      const int column = left + c;
      const double w = down[r] * across[c];
      absolute += std::fabs(w);
      if (row < 0 || column < 0 || row >= image.height() || column >= image.width() ||
          (!good.empty() && good(row, column) == 0)) {
        missing += std::fabs(w);
        continue;
      }
      sum += w * image(row, column);
      weight += w;
    }
  }
  const double share = 1 - missing / absolute;
  if (share < 0.5 || weight < 0.25) return {};
  return {static_cast<float>(sum / weight), static_cast<float>(share)};
}

void fill_bad(Image& image, const Image& good) {
  if (good.empty()) return;
  constexpr int kMostReach = 4;
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) {
      if (good(y, x) != 0) continue;
      float sum = 0;
      int count = 0;
      for (int reach = 1; reach <= kMostReach && count == 0; ++reach) {
        for (int r = std::max(0, y - reach); r <= std::min(image.height() - 1, y + reach); ++r) {
          for (int c = std::max(0, x - reach); c <= std::min(image.width() - 1, x + reach); ++c) {
            if (good(r, c) == 0) continue;
            sum += image(r, c);
            ++count;
          }
        }
      }
      image(y, x) = count > 0 ? sum / static_cast<float>(count) : 0.0f;
    }
  }
}

}  // namespace snapcube
