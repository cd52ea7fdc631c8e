#include "gradients/gelu.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numbers>
#include <vector>

namespace snapcube::gradients {
namespace {

double normal_share(double v) { return 0.5 * (1 + std::erf(v / std::sqrt(2.0))); }

TEST(Gelu, ValuesAndSlopesAtEveryLength) {
  for (const std::int64_t size : {0, 1, 17, 1023, 1024, 1025, 5000}) {
    std::vector<float> x;
    std::vector<float> dy;
    for (std::int64_t i = 0; i < size; ++i) {
      x.push_back(static_cast<float>(6 * std::sin(0.7 * static_cast<double>(i))));
      dy.push_back(static_cast<float>(std::cos(0.3 * static_cast<double>(i))));
    }
    // One more each: nothing is written behind the end.
    std::vector<float> y(x.size() + 1, 7.0f);
    std::vector<float> dx(x.size() + 1, 7.0f);
    gelu(x.data(), size, y.data());
    gelu_backward(x.data(), dy.data(), size, dx.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = x[i];
      const double density = std::exp(-0.5 * v * v) / std::sqrt(2 * std::numbers::pi);
      EXPECT_NEAR(y[i], v * normal_share(v), 4e-6);
      EXPECT_NEAR(dx[i], (normal_share(v) + v * density) * static_cast<double>(dy[i]), 1e-5);
    }
    EXPECT_EQ(y.back(), 7.0f);
    EXPECT_EQ(dx.back(), 7.0f);
  }
}

}  // namespace
}  // namespace snapcube::gradients
