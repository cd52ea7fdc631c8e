#include "solvers/low_rank.h"

#include <cmath>
#include <vector>

#include "support.h"

namespace snapcube {
namespace {

TEST(Shrunk, SolvesItsEquation) {
  EXPECT_EQ(shrunk(5, 4), 4);  // 4 = 5 − 4/4
  EXPECT_EQ(shrunk(4, 4), 2);  // the double root: the least value that does not vanish
  EXPECT_EQ(shrunk(3.99, 4), 0);
  EXPECT_EQ(shrunk(7, 0), 7);
  EXPECT_EQ(shrunk(0, 0), 0);
  EXPECT_EQ(shrunk(0, 1), 0);
  for (const double s : {2.5, 10.0, 1e4}) {
    const double x = shrunk(s, 1.5);
    EXPECT_NEAR(x, s - 1.5 / x, 1e-9 * s);
    EXPECT_GT(x, s / 2) << "of the two solutions the larger";
  }
}

/// a[patch] · u[band] · v[pixel], Σ a = 0: both matrices have one singular value, |a|·|u|·|v|, and the mean is 0.
TEST(GroupShrinker, ARankOneGroupInClosedForm) {
  constexpr int kPatches = 6;
  constexpr int kBands = 5;
  constexpr int kPixels = 9;
  std::vector<float> group;
  double square = 0;
  for (int j = 0; j < kPatches; ++j) {
    for (int b = 0; b < kBands; ++b) {
      for (int q = 0; q < kPixels; ++q) {
        group.push_back(static_cast<float>((j % 2 ? 1 : -1) * (1 + 0.3 * b) * std::cos(q)));
        square += std::pow(group.back(), 2);
      }
    }
  }
  const double n = kPatches * kBands * kPixels;
  for (const double noise : {0.0, 0.1, 0.4, 3.0}) {
    const double s = std::sqrt(square);
    const double unit = std::sqrt(n) * noise * noise;
    const double factor = shrunk(s, 2.5 * unit) / s;  // the main spectrum is kept
    EXPECT_EQ(factor == 0, noise == 3.0);
    std::vector<float> result = group;
    GroupShrinker(kPatches, kBands, kPixels).shrink(result.data(), {noise, 1.5, 2.5});
    for (std::size_t i = 0; i < group.size(); ++i) ASSERT_NEAR(result[i], factor * group[i], 2e-6) << noise;
  }
}

TEST(GroupShrinker, TheSameAsBySvd) {
  // numpy.linalg.svd of both matrices, in double; of the patches' values the second vanishes.
  const double expected[] = {0.787067, 1.523689, 1.267414, 1.235144, 0.532937, -0.150890, -0.115783, -0.267079,
                             1.074910, 1.754188, 1.096343, 0.936977, 0.524453, -0.220412, -0.100092, -0.378838,
                             0.124122, 0.992815, 1.661416, 1.921867, 0.552475, 0.009229,  -0.151923, -0.009681};
  std::vector<float> group;
  for (int i = 0; i < 24; ++i) group.push_back(static_cast<float>(std::sin(1.0 + 0.7 * i) + 0.3 * (i % 5)));
  GroupShrinker shrinker(3, 2, 4);
  for (int again = 0; again < 2; ++again) {
    std::vector<float> result = group;
    shrinker.shrink(result.data(), {0.3, 0.9, 1.2});
    for (std::size_t i = 0; i < 24; ++i) EXPECT_NEAR(result[i], expected[i], 3e-6) << i;
  }
}

TEST(GroupShrinker, ADarkGroupKeepsItsMainSpectrum) {
  std::vector<float> group;
  for (int i = 0; i < 6 * 5 * 9; ++i) group.push_back(0.01f * static_cast<float>(1 + i / 9 % 5));  // by the band
  std::vector<float> result = group;
  GroupShrinker(6, 5, 9).shrink(result.data(), {1.0, 1.5, 2.5});
  for (std::size_t i = 0; i < group.size(); ++i) ASSERT_NEAR(result[i], group[i], 1e-6);
}

TEST(GroupShrinker, GroupsOfOneAndEmptyLightStay) {
  std::vector<float> one = {0.25f};
  GroupShrinker(1, 1, 1).shrink(one.data(), {0, 1, 1});
  EXPECT_NEAR(one[0], 0.25f, 1e-7);
  std::vector<float> dark(3 * 4 * 5, 0.0f);
  GroupShrinker(3, 4, 5).shrink(dark.data(), {0.1, 1, 1});
  for (const float v : dark) EXPECT_EQ(v, 0);
}

}  // namespace
}  // namespace snapcube
