#include "calibration/fourier.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

namespace snapcube {

namespace {

using Value = std::complex<float>;

/// e^(−2πi k/n) for k < n/2; conjugated for the way back.
std::vector<Value> roots(int n, bool backwards) {
  std::vector<Value> result(static_cast<std::size_t>(n / 2));
  for (int k = 0; k < n / 2; ++k) {
    const double angle = (backwards ? 2 : -2) * std::numbers::pi * k / n;
    result[static_cast<std::size_t>(k)] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  return result;
}

/// Cooley and Tukey: bits of the index reversed, then butterflies of 2, 4, 8, …
void transform_line(Value* line, int n, const std::vector<Value>& root) {
  for (int i = 1, j = 0; i < n; ++i) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(line[i], line[j]);
  }
  for (int length = 2; length <= n; length *= 2) {
    const int half = length / 2;
    const int stride = n / length;
    for (int start = 0; start < n; start += length) {
      for (int k = 0; k < half; ++k) {
        const Value w = root[static_cast<std::size_t>(k) * stride];
        const Value b = line[start + k + half];
        // Written out: std::complex's product asks about infinities.
        const Value t{w.real() * b.real() - w.imag() * b.imag(), w.real() * b.imag() + w.imag() * b.real()};
        const Value a = line[start + k];
        line[start + k] = a + t;
        line[start + k + half] = a - t;
      }
    }
  }
}

}  // namespace

int power_of_two(int n) {
  int result = 1;
  while (result < n) result *= 2;
  return result;
}

void fourier(Spectrum& image, bool backwards) {
  const int height = image.height;
  const int width = image.width;
  const std::vector<Value> along = roots(width, backwards);
  const std::vector<Value> down = roots(height, backwards);
#pragma omp parallel for schedule(static)
  for (int y = 0; y < height; ++y) {
    transform_line(image.values.data() + static_cast<std::size_t>(y) * width, width, along);
  }
#pragma omp parallel
  {
    std::vector<Value> column(static_cast<std::size_t>(height));
#pragma omp for schedule(static)
    for (int x = 0; x < width; ++x) {
      for (int y = 0; y < height; ++y)
        column[static_cast<std::size_t>(y)] = image.values[static_cast<std::size_t>(y) * width + x];
      transform_line(column.data(), height, down);
      for (int y = 0; y < height; ++y)
        image.values[static_cast<std::size_t>(y) * width + x] = column[static_cast<std::size_t>(y)];
    }
  }
  if (!backwards) return;
  const float factor = 1.0f / (static_cast<float>(height) * static_cast<float>(width));
  for (Value& v : image.values) v *= factor;
}

}  // namespace snapcube
