#include "optics/dispersed_row.h"

#include <cmath>
#include <gtest/gtest.h>

#include <snapcube/camera.h>

#include "base/random.h"

namespace snapcube {
namespace {

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<float>(random.uniform(-1, 1)));
  return values;
}

struct Case {
  std::vector<double> positions;
  bool plain;
};

class DispersedRow : public testing::TestWithParam<Case> {
 protected:
  static constexpr int kWidth = 13;
  const Dispersion dispersion_{GetParam().positions, kWidth};
  const std::size_t bands_ = GetParam().positions.size();
  const std::vector<float> masks_ = noise(bands_ * kWidth, 1);
  ConstRow masks() const { return {masks_.data(), GetParam().plain ? 0 : static_cast<std::size_t>(kWidth)}; }
  std::vector<float> projected(const std::vector<float>& x) const {
    std::vector<float> z(static_cast<std::size_t>(dispersion_.detector_width()));
    project_row(dispersion_, {x.data(), kWidth}, masks(), z.data());
    return z;
  }
  std::vector<float> back(const std::vector<float>& s) const {
    std::vector<float> x(bands_ * kWidth);
    back_project_row(dispersion_, s.data(), masks(), 1, {}, {x.data(), kWidth});
    return x;
  }
};

double dot(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

TEST_P(DispersedRow, BackProjectionIsTheAdjoint) {
  const auto x = noise(bands_ * kWidth, 2);
  const auto s = noise(static_cast<std::size_t>(dispersion_.detector_width()), 3);
  EXPECT_NEAR(dot(projected(x), s), dot(x, back(s)), 1e-5);
}

TEST_P(DispersedRow, GramIsTheProductOfTheTwo) {
  const auto n = static_cast<std::size_t>(dispersion_.detector_width());
  std::vector<float> diagonal(n);
  std::vector<float> next(n);
  gram_row(dispersion_, masks(), diagonal.data(), next.data());
  for (std::size_t p = 0; p < n; ++p) {
    std::vector<float> unit(n);
    unit[p] = 1;
    const auto column = projected(back(unit));
    for (std::size_t q = 0; q < n; ++q) {
      const float expected = q == p ? diagonal[p] : q == p + 1 ? next[p] : q + 1 == p ? next[q] : 0.0f;
      EXPECT_NEAR(column[q], expected, 1e-6) << p << " " << q;
    }
  }
}

TEST_P(DispersedRow, SolveUndoesTheProduct) {
  const auto n = static_cast<std::size_t>(dispersion_.detector_width());
  std::vector<float> diagonal(n);
  std::vector<float> next(n);
  gram_row(dispersion_, masks(), diagonal.data(), next.data());
  const auto s = noise(n, 4);
  constexpr float kMu = 0.05f;
  auto r = projected(back(s));
  for (std::size_t i = 0; i < n; ++i) r[i] += kMu * s[i];
  std::vector<float> scratch(n);
  solve_row(diagonal.data(), dispersion_.is_whole() ? nullptr : next.data(), kMu, r.data(), static_cast<int>(n),
            r.data(), scratch.data());
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(r[i], s[i], 1e-4);
}

TEST_P(DispersedRow, IsWhatTheCameraDoes) {
  if (!GetParam().plain) GTEST_SKIP() << "one mask for all bands";
  Image mask(1, kWidth);
  for (int i = 0; i < kWidth; ++i) mask(0, i) = std::fabs(masks_[static_cast<std::size_t>(i)]);
  const Camera camera(mask, {.bands = static_cast<int>(bands_), .offsets = GetParam().positions});
  Cube x(static_cast<int>(bands_), 1, kWidth);
  const auto values = noise(x.size(), 5);
  std::ranges::copy(values, x.data());
  std::vector<float> z(static_cast<std::size_t>(dispersion_.detector_width()));
  project_row(dispersion_, {x.data(), kWidth}, {mask.data(), 0}, z.data());
  const Image y = camera.forward(x);
  ASSERT_EQ(y.size(), z.size());
  for (std::size_t i = 0; i < z.size(); ++i) EXPECT_NEAR(z[i], y.values()[i], 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Cameras, DispersedRow,
                         testing::Values(Case{{0, 2, 4, 6}, true}, Case{{0, 2, 4, 6}, false},
                                         Case{{0, 0.7, 1.9, 3.25, 7.5}, true}, Case{{0, 0.7, 1.9, 3.25, 7.5}, false},
                                         Case{{0, 0, 0}, true}, Case{{0, 40, 80}, true}, Case{{6, 4, 2, 0}, false},
                                         Case{{0}, true}));

TEST(LevelRow, FillsWhatSeesNothingFromItsNeighbours) {
  const std::vector<float> y = {2, 9, 4, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<float> flat = {1, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<float> weights = {1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  std::vector<float> out(y.size());
  level_row(y.data(), flat.data(), weights.data(), 1e-3f, static_cast<int>(y.size()), out.data());
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 2);  // (2 + 4) / (1 + 2): its own value has no weight
  EXPECT_EQ(out[2], 2);
  EXPECT_EQ(out[3], 2);
  EXPECT_EQ(out.back(), 1);  // nobody near
}

}  // namespace
}  // namespace snapcube
