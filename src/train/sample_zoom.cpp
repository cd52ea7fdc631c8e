#include "train/sample_zoom.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace snapcube {

namespace {

/// Four neighbours and their weights.
struct Taps {
  std::array<int, 4> at;
  std::array<float, 4> weight;
};

/// Weights of the neighbours at −1, 0, 1, 2 for the place t ∈ [0, 1): the cubic that passes through the values with
/// central differences as slopes.
std::array<float, 4> catmull_rom(float t) {
  return {t * (-0.5f + t * (1 - 0.5f * t)), 1 + t * t * (-2.5f + 1.5f * t), t * (0.5f + t * (2 - 1.5f * t)),
          t * t * (-0.5f + 0.5f * t)};
}

std::vector<Taps> taps(int extent, double zoom, int size) {
  std::vector<Taps> all(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    const double place = (i + 0.5) / zoom - 0.5;
    const double whole = std::floor(place);
    Taps& t = all[static_cast<std::size_t>(i)];
    t.weight = catmull_rom(static_cast<float>(place - whole));
    for (int k = 0; k < 4; ++k) {
      t.at[static_cast<std::size_t>(k)] = std::clamp(static_cast<int>(whole) + k - 1, 0, extent - 1);
    }
  }
  return all;
}

}  // namespace

int zoomed_extent(int size, double zoom) { return static_cast<int>(std::ceil(size / zoom)); }

void enlarge(const float* plane, int rows, int columns, double zoom, int height, int width, float* out,
             std::ptrdiff_t out_stride, FloatBuffer& work) {
  const std::vector<Taps> across = taps(columns, zoom, width);
  const std::vector<Taps> down = taps(rows, zoom, height);
  work.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
  for (int y = 0; y < rows; ++y) {
    const float* in = plane + static_cast<std::ptrdiff_t>(y) * columns;
    float* wide = work.data() + static_cast<std::ptrdiff_t>(y) * width;
    for (int x = 0; x < width; ++x) {
      const Taps& t = across[static_cast<std::size_t>(x)];
      wide[x] =
          t.weight[0] * in[t.at[0]] + t.weight[1] * in[t.at[1]] + t.weight[2] * in[t.at[2]] + t.weight[3] * in[t.at[3]];
    }
  }
  for (int y = 0; y < height; ++y) {
    const Taps& t = down[static_cast<std::size_t>(y)];
    const auto row = [&](int k) {
      return work.data() + static_cast<std::ptrdiff_t>(t.at[static_cast<std::size_t>(k)]) * width;
    };
    const float* a = row(0);
    const float* b = row(1);
    const float* c = row(2);
    const float* d = row(3);
    float* to = out + y * out_stride;
    for (int x = 0; x < width; ++x) {
      to[x] = std::clamp(t.weight[0] * a[x] + t.weight[1] * b[x] + t.weight[2] * c[x] + t.weight[3] * d[x], 0.0f, 1.0f);
    }
  }
}

}  // namespace snapcube
