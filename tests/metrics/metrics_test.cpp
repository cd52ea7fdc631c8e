// Closed forms, special cases and refusals; the general values are in reference_test.cpp.

#include <cmath>
#include <numbers>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/metrics.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_cube;

Cube filled(int bands, int height, int width, float value) { return Cube(bands, height, width, value); }

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Protocol, NamesAreReadAndWritten) {
  for (const char* name : {"toolbox", "uint8", "float"}) EXPECT_EQ(to_string(parse_protocol(name)), name);
  const std::string message = error_of<InputError>([] { parse_protocol("unit8"); });
  EXPECT_TRUE(contains(message, "unit8") && contains(message, "toolbox, uint8 or float")) << message;
}

TEST(Psnr, ToolboxRoundsHalvesToEvenAndDoesNotClamp) {
  // 0.5 → 0 and 1.5 → 2: errors 0 against 0 and 2 against 2.
  EXPECT_EQ(psnr(filled(1, 3, 3, 0.5f / 256), filled(1, 3, 3, 0)), 100);
  EXPECT_EQ(psnr(filled(1, 3, 3, 1.5f / 256), filled(1, 3, 3, 2.0f / 256)), 100);
  EXPECT_NEAR(psnr(filled(1, 3, 3, 2.0f), filled(1, 3, 3, 1.0f)), 20 * std::log10(255.0 / 256), 1e-12);
}

TEST(Psnr, Uint8AndFloatClamp) {
  for (const Protocol protocol : {Protocol::uint8, Protocol::float32}) {
    EXPECT_EQ(psnr(filled(1, 3, 3, 2.0f), filled(1, 3, 3, 1.0f), protocol), 100);
    EXPECT_EQ(psnr(filled(1, 3, 3, -2.0f), filled(1, 3, 3, 0.0f), protocol), 100);
    EXPECT_NEAR(psnr(filled(1, 3, 3, 2.0f), filled(1, 3, 3, -1.0f), protocol), 0, 1e-12);
  }
  EXPECT_EQ(psnr(filled(1, 1, 1, 0.3f / 255), filled(1, 1, 1, 0.0f), Protocol::uint8), 100);
  EXPECT_NEAR(psnr(filled(1, 1, 1, 0.3f / 255), filled(1, 1, 1, 0.0f), Protocol::float32), 20 * std::log10(255 / 0.3),
              1e-5);
}

TEST(Psnr, IsTheMeanOfTheBandsDecibels) {
  Cube truth(2, 4, 4);
  Cube image = truth;
  std::fill_n(image.band(1), image.band_size(), 0.1f);
  EXPECT_NEAR(psnr(image, truth, Protocol::float32), (100 + 20) / 2.0, 1e-5);
}

TEST(Ssim, OfConstantsIsTheLuminanceTerm) {
  // No variance: (2ab + C1)/(a² + b² + C1), where the window lies inside.
  const double expected = (2 * 0.25 * 0.5 + 1e-4) / (0.25 * 0.25 + 0.5 * 0.5 + 1e-4);
  EXPECT_NEAR(ssim(filled(2, 15, 12, 0.25f), filled(2, 15, 12, 0.5f), Protocol::float32), expected, 1e-12);
}

TEST(Ssim, NeedsTheWindowInsideUnlessPadded) {
  for (const auto& [height, width] : {std::pair{10, 40}, std::pair{40, 10}}) {
    const Cube cube = random_cube(2, height, width, 1);
    for (const Protocol protocol : {Protocol::uint8, Protocol::float32}) {
      const std::string message = error_of<InputError>([&] { ssim(cube, cube, protocol); });
      EXPECT_TRUE(contains(message, "11×11")) << message;
      EXPECT_TRUE(contains(message, std::to_string(height) + "×" + std::to_string(width))) << message;
    }
    EXPECT_NEAR(ssim(cube, cube, Protocol::toolbox), 1, 1e-12);
  }
}

TEST(Sam, KnownAngles) {
  // (1,0) against (1,1), (0,1) against (0,3), (1,0) against (0,1); the last pixel is black in one
  // cube.
  Cube image(2, 1, 4);
  Cube truth(2, 1, 4);
  image(0, 0, 0) = image(1, 0, 1) = image(0, 0, 2) = 1;
  truth(0, 0, 0) = truth(1, 0, 0) = truth(1, 0, 2) = truth(0, 0, 3) = 1;
  truth(1, 0, 1) = 3;
  EXPECT_NEAR(sam(image, truth), (45 + 0 + 90) / 3.0, 1e-12);
}

TEST(Sam, KeepsSmallAngles) {
  // The cosine of 1e-6 rad is 1 − 5e-13: acos would keep three digits of the angle.
  Cube image(2, 1, 1);
  Cube truth(2, 1, 1);
  image(0, 0, 0) = truth(0, 0, 0) = 1;
  image(1, 0, 0) = 1e-6f;
  EXPECT_NEAR(sam(image, truth), static_cast<double>(1e-6f) * 180 / std::numbers::pi, 1e-16);
  EXPECT_EQ(sam(truth, truth), 0);
}

TEST(Sam, OfBlackIsNotANumber) { EXPECT_TRUE(std::isnan(sam(filled(3, 2, 2, 0), filled(3, 2, 2, 1)))); }

TEST(Ergas, LeavesOutBandsWithoutLight) {
  Cube truth(2, 3, 3);
  std::fill_n(truth.band(1), truth.band_size(), 0.5f);
  Cube image = truth;
  std::fill_n(image.band(0), image.band_size(), 0.25f);
  std::fill_n(image.band(1), image.band_size(), 0.75f);
  EXPECT_NEAR(ergas(image, truth), 100 * 0.25 / 0.5, 1e-12);
  EXPECT_TRUE(std::isnan(ergas(image, filled(2, 3, 3, 0))));
}

TEST(Uiqi, OfFlatWindowsFollowsTheAuthorsProgram) {
  // Values that are no binary fractions, so that sums of squares do not cancel exactly.
  EXPECT_EQ(uiqi(filled(1, 40, 33, 0), filled(1, 40, 33, 0)), 1);
  EXPECT_NEAR(uiqi(filled(1, 40, 33, 0.3f), filled(1, 40, 33, 0.3f)), 1, 1e-12);
  EXPECT_NEAR(uiqi(filled(1, 40, 33, 0.1f), filled(1, 40, 33, 0.3f)), 2 * 0.1 * 0.3 / (0.01 + 0.09), 1e-6);
}

TEST(Uiqi, DarkWindowsBesideBrightOnesKeepTheirDigits) {
  // Left half bright, right half 1e-6 of it; scaling both images does not change the index.
  Cube image = random_cube(1, 32, 96, 1);
  Cube truth = random_cube(1, 32, 96, 2);
  const Region right{0, 64, 32, 32};
  const double expected = uiqi(crop(image, right), crop(truth, right));
  double bright = 0;
  for (int x = 0; x < 64; ++x) bright += uiqi(crop(image, {0, x, 32, 32}), crop(truth, {0, x, 32, 32}));
  EXPECT_NEAR(uiqi(image, truth), (bright + expected) / 65, 1e-12);
  for (int y = 0; y < 32; ++y) {
    for (int x = 64; x < 96; ++x) {
      image(0, y, x) = std::ldexp(image(0, y, x), -24);
      truth(0, y, x) = std::ldexp(truth(0, y, x), -24);
    }
  }
  bright = 0;
  for (int x = 0; x < 64; ++x) bright += uiqi(crop(image, {0, x, 32, 32}), crop(truth, {0, x, 32, 32}));
  EXPECT_NEAR(uiqi(image, truth) * 65 - bright, expected, 1e-11);
}

TEST(Uiqi, NeedsItsWindow) {
  const Cube cube = random_cube(1, 31, 64, 1);
  const std::string message = error_of<InputError>([&] { uiqi(cube, cube); });
  EXPECT_TRUE(contains(message, "32×32") && contains(message, "31×64")) << message;
}

TEST(SpectralCorrelation, OfScaledAndReversedSpectra) {
  Cube truth(3, 4, 4);
  Cube image(3, 4, 4);
  Cube reversed(3, 4, 4);
  for (int b = 0; b < 3; ++b) {
    std::fill_n(truth.band(b), 16, static_cast<float>(b));
    std::fill_n(image.band(b), 16, 2.0f * static_cast<float>(b) + 1);
    std::fill_n(reversed.band(b), 16, -static_cast<float>(b));
    image(b, 3, 3) = 1000;  // outside the region
  }
  const Region region{0, 1, 3, 3};
  EXPECT_NEAR(spectral_correlation(image, truth, region), 1, 1e-12);
  EXPECT_NEAR(spectral_correlation(reversed, truth, region), -1, 1e-12);
  EXPECT_TRUE(std::isnan(spectral_correlation(filled(3, 4, 4, 1), truth, region)));
  EXPECT_THROW(spectral_correlation(image, truth, {0, 2, 3, 3}), InputError);
}

TEST(Metrics, ScoreLeavesOutWhatDoesNotFit) {
  const Cube image = random_cube(2, 9, 40, 1);
  const Cube truth = random_cube(2, 9, 40, 2);
  const Scores scores = score(image, truth, Protocol::uint8);
  EXPECT_EQ(scores.psnr, psnr(image, truth, Protocol::uint8));
  EXPECT_TRUE(std::isnan(scores.ssim));
  EXPECT_TRUE(std::isnan(scores.uiqi));
  EXPECT_EQ(score(image, truth).ssim, ssim(image, truth));
}

TEST(Metrics, RefuseDifferentAndEmptyShapes) {
  const Cube a(2, 40, 50);
  const Cube b(3, 40, 50);
  const auto refuses = [](auto measure, const Cube& p, const Cube& q) {
    return error_of<InputError>([&] { measure(p, q); });
  };
  const auto each = [&](const Cube& p, const Cube& q) -> std::vector<std::string> {
    return {refuses([](auto& x, auto& y) { psnr(x, y); }, p, q),
            refuses([](auto& x, auto& y) { ssim(x, y); }, p, q),
            refuses([](auto& x, auto& y) { sam(x, y); }, p, q),
            refuses([](auto& x, auto& y) { ergas(x, y); }, p, q),
            refuses([](auto& x, auto& y) { rmse(x, y); }, p, q),
            refuses([](auto& x, auto& y) { uiqi(x, y); }, p, q),
            refuses(
                [](auto& x, auto& y) {
                  spectral_correlation(x, y, {0, 0, 1, 1});
                },
                p, q),
            refuses([](auto& x, auto& y) { score(x, y); }, p, q)};
  };
  for (const std::string& message : each(a, b)) {
    EXPECT_TRUE(contains(message, "2×40×50") && contains(message, "3×40×50")) << message;
  }
  for (const std::string& message : each(Cube(), Cube())) EXPECT_TRUE(contains(message, "0×0×0")) << message;
}

TEST(Metrics, AreTheSameForEveryThreadCount) {
  const Cube image = random_cube(5, 127, 71, 1);
  const Cube truth = random_cube(5, 127, 71, 2);
  const int before = omp_get_max_threads();
  std::vector<Scores> all;
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    all.push_back(score(image, truth));
  }
  omp_set_num_threads(before);
  for (const Scores& s : all) {
    EXPECT_EQ(s.psnr, all[0].psnr);
    EXPECT_EQ(s.ssim, all[0].ssim);
    EXPECT_EQ(s.sam, all[0].sam);
    EXPECT_EQ(s.ergas, all[0].ergas);
    EXPECT_EQ(s.rmse, all[0].rmse);
    EXPECT_EQ(s.uiqi, all[0].uiqi);
  }
}

}  // namespace
}  // namespace snapcube
