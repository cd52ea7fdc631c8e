#include "samples/lamp.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace snapcube {
namespace {

constexpr int kBands = 28;

/// What the waves k = 0 … 3 leave of the spectrum's logarithm: nothing of a smooth one. (The waves are orthogonal.)
double roughness(const std::vector<float>& spectrum) {
  std::vector<double> rest;
  for (const float v : spectrum) rest.push_back(std::log(v));
  for (int k = 0; k <= 3; ++k) {
    double product = 0;
    double norm = 0;
    const auto wave = [&](int b) { return std::cos(std::numbers::pi * k * (b + 0.5) / kBands); };
    for (int b = 0; b < kBands; ++b) {
      product += wave(b) * rest[static_cast<std::size_t>(b)];
      norm += wave(b) * wave(b);
    }
    for (int b = 0; b < kBands; ++b) rest[static_cast<std::size_t>(b)] -= product / norm * wave(b);
  }
  return std::abs(*std::ranges::max_element(rest, {}, [](double v) { return std::abs(v); }));
}

TEST(Lamp, SpectraAreNormalisedAndEveryOtherHasPeaks) {
  Random random(3);
  int smooth = 0;
  int narrow = 0;
  double darkest = 1;
  for (int i = 0; i < 1000; ++i) {
    const auto spectrum = lamp_spectrum(random, kBands);
    ASSERT_EQ(spectrum.size(), 28u);
    EXPECT_EQ(*std::ranges::max_element(spectrum), 1);
    EXPECT_GT(*std::ranges::min_element(spectrum), 0);
    darkest = std::min<double>(darkest, *std::ranges::min_element(spectrum));
    const double rough = roughness(spectrum);
    smooth += rough < 1e-5;
    narrow += rough > 0.5;
  }
  EXPECT_NEAR(smooth, 500, 50);
  EXPECT_GT(narrow, 50);  // lines of gas discharge lamps
  EXPECT_LT(darkest, 0.05);
}

TEST(Lamp, FollowsFromTheSeed) {
  Random one(5);
  Random same(5);
  Random other(6);
  const auto spectrum = lamp_spectrum(one, kBands);
  EXPECT_EQ(spectrum, lamp_spectrum(same, kBands));
  EXPECT_NE(spectrum, lamp_spectrum(other, kBands));
}

TEST(Lamp, OneBandHasNoColour) {
  Random random(1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(lamp_spectrum(random, 1), std::vector<float>{1});
}

}  // namespace
}  // namespace snapcube
