#pragma once
// Maps of random numbers, and sums over them.

#include <vector>

#include "gradients/planes.h"
#include "kernels/planes.h"

namespace snapcube::testing {

/// A batch of maps with memory of its own: [batch][height][channels][width].
struct Maps {
  Maps(int batch, int height, int channels, int width, std::uint64_t seed = 0)
      : planes{nullptr, batch, height, channels, width},
        values(static_cast<std::size_t>(batch * height * channels * width)) {
    if (seed > 0) values = random_values(values.size(), 1, seed);
    planes.data = values.data();
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  gradients::ConstPlanes view() const {
    return {values.data(), planes.batch, planes.height, planes.channels, planes.width};
  }
  /// 0 outside.
  double at(int b, int y, int c, int x) const {
    if (y < 0 || y >= planes.height || x < 0 || x >= planes.width) return 0;
    return values[static_cast<std::size_t>(((b * planes.height + y) * planes.channels + c) * planes.width + x)];
  }

  gradients::Planes planes;
  std::vector<float> values;
};

inline double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

}  // namespace snapcube::testing
