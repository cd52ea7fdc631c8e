#include "base/random.h"

#include <cmath>
#include <gtest/gtest.h>

namespace snapcube {
namespace {

TEST(Random, IsTheSameOnEveryMachine) {
  Random random(42, 7);
  // Computed with Python integers from the definition.
  EXPECT_EQ(random.bits(), 12812795895000351504ull);
}

TEST(Random, StreamsAndSeedsDiffer) {
  EXPECT_NE(Random(1, 0).bits(), Random(1, 1).bits());
  EXPECT_NE(Random(1, 0).bits(), Random(2, 0).bits());
}

TEST(Random, PortableLogAgreesWithTheLibrary) {
  for (double x = 1e-300; x < 1e300; x *= 1.37) {
    EXPECT_NEAR(portable_log(x), std::log(x), 4e-16 * std::fabs(std::log(x)) + 1e-16) << x;
  }
}

/// Mean and variance of many draws against theory, within five standard errors of each.
template <typename Draw>
void expect_moments(Draw draw, double mean, double variance, double fourth_moment) {
  constexpr int kDraws = 200000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double d = draw() - mean;
    sum += d;
    squares += d * d;
  }
  EXPECT_NEAR(sum / kDraws, 0, 5 * std::sqrt(variance / kDraws));
  EXPECT_NEAR(squares / kDraws, variance, 5 * std::sqrt((fourth_moment - variance * variance) / kDraws));
}

TEST(Random, NormalMoments) {
  Random random(1);
  expect_moments([&] { return random.normal(); }, 0, 1, 3);
}

TEST(Random, BinomialMoments) {
  Random random(2);
  for (const std::int64_t n : {1, 5, 20, 30, 1000, 140000}) {
    for (const double p : {0.02, 0.4, 0.9}) {
      const double v = static_cast<double>(n) * p * (1 - p);
      expect_moments([&] { return static_cast<double>(random.binomial(n, p)); }, static_cast<double>(n) * p, v,
                     v * (1 + 3 * v - 6 * v / static_cast<double>(n)));
    }
  }
}

TEST(Random, PoissonMoments) {
  Random random(3);
  for (const double mean : {0.01, 1.0, 9.9, 10.1, 400.0}) {
    expect_moments([&] { return static_cast<double>(random.poisson(mean)); }, mean, mean, mean + 3 * mean * mean);
  }
}

TEST(Random, BinomialFrequenciesMatchTheDistribution) {
  // Chi-squared over the support of B(40, 0.4), which takes the rejection path.
  Random random(4);
  constexpr int kDraws = 200000;
  std::vector<double> count(41);
  for (int i = 0; i < kDraws; ++i) ++count[static_cast<std::size_t>(random.binomial(40, 0.4))];
  double chi2 = 0;
  int cells = 0;
  for (int k = 0; k <= 40; ++k) {
    const double log_p =
        std::lgamma(41) - std::lgamma(k + 1) - std::lgamma(41 - k) + k * std::log(0.4) + (40 - k) * std::log(0.6);
    const double expected = kDraws * std::exp(log_p);
    if (expected < 5) continue;
    chi2 += std::pow(count[static_cast<std::size_t>(k)] - expected, 2) / expected;
    ++cells;
  }
  EXPECT_LT(chi2, cells + 5 * std::sqrt(2.0 * cells));
}

}  // namespace
}  // namespace snapcube
