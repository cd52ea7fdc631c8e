#pragma once
// Random planar data in buffers that end where the kernel may read no further.

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.h"

namespace snapcube::testing {

constexpr float kGuard = 1234.5f;

/// `channels` rows of `pixels` values, `pitch` apart, the first one `offset` floats into the buffer, `margin` floats of
/// known values before and behind each row that belong to it (a convolution's padding).
class Planes {
 public:
  Planes(int channels, std::size_t pixels, std::size_t offset, std::uint64_t seed, std::size_t margin = 0,
         double range = 1)
      : pitch(pixels + 2 * margin + 3),
        start_(offset + margin),
        values(offset + static_cast<std::size_t>(channels) * pitch - 3, kGuard) {
    Random random(seed);
    for (std::size_t c = 0; c < static_cast<std::size_t>(channels); ++c) {
      for (std::size_t i = 0; i < pixels + 2 * margin; ++i) {
        values[offset + c * pitch + i] = static_cast<float>(random.uniform(-range, range));
      }
    }
  }
  float* data() { return values.data() + start_; }
  const float* data() const { return values.data() + start_; }

  std::size_t pitch;

 private:
  std::size_t start_;

 public:
  std::vector<float> values;
};

inline std::vector<float> random_values(std::size_t n, double range, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(n);
  for (float& v : values) v = static_cast<float>(random.uniform(-range, range));
  return values;
}

/// Everything equal to `tolerance`, guards included.
inline void expect_near(const std::vector<float>& found, const std::vector<float>& wanted, double tolerance) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_NEAR(found[i], wanted[i], tolerance * std::max(1.0, std::fabs(static_cast<double>(wanted[i]))))
        << "at " << i;
  }
}

}  // namespace snapcube::testing
