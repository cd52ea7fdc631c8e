#include "samples/camera_variety.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include <snapcube/mask.h>

namespace snapcube {
namespace {

double mean(std::span<const float> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

MaskPair pair_of(const Image& mask, int bands) {
  const Cube empty(bands, mask.height(), mask.width());
  return {empty, empty};
}

TEST(CameraVariety, PositionsAreTheModelsOrWithinTheSpan) {
  CameraVariety variety;
  Random random(1);
  EXPECT_EQ(draw_positions(variety, random, 4, 2), (std::vector<double>{0, 2, 4, 6}));
  variety.dispersion = 1;
  bool whole = false;
  bool fraction = false;
  for (int i = 0; i < 200; ++i) {
    const auto p = draw_positions(variety, random, 28, 2);
    ASSERT_EQ(p.size(), 28u);
    EXPECT_GE(p.back(), 20 - 1e-9);
    EXPECT_LE(p.back(), 4 * 27);
    (p[1] == std::round(p[1]) ? whole : fraction) = true;
    for (std::size_t b = 1; b < p.size(); ++b) EXPECT_NEAR(p[b] - p[b - 1], p[1], 1e-9);
  }
  EXPECT_TRUE(whole);
  EXPECT_TRUE(fraction);
}

TEST(CameraVariety, MasksAreTheOneWhereNothingVaries) {
  Random random(2);
  const Image mask = random_mask(6, 8, MaskKind::binary, 0.5, 3);
  MaskPair masks = pair_of(mask, 3);
  draw_masks({}, mask, random, 3, masks);
  for (int b = 0; b < 3; ++b) {
    EXPECT_TRUE(std::equal(mask.values().begin(), mask.values().end(), masks.truth.row(b, 0)));
    EXPECT_TRUE(std::equal(mask.values().begin(), mask.values().end(), masks.assumed.row(b, 0)));
  }
}

TEST(CameraVariety, MismatchIsSmallAndMasksPerBandDiffer) {
  CameraVariety variety;
  variety.mismatch = 1;
  const Image mask = random_mask(32, 32, MaskKind::binary, 0.5, 3);
  MaskPair masks = pair_of(mask, 4);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    draw_masks(variety, mask, random, 4, masks);
    double difference = 0;
    for (std::size_t i = 0; i < masks.truth.size(); ++i) {
      difference +=
          std::fabs(masks.truth.values()[i] - masks.assumed.values()[i]) / static_cast<double>(masks.truth.size());
    }
    EXPECT_GT(difference, 0.01);
    EXPECT_LT(difference, 0.4);
    EXPECT_GE(*std::ranges::min_element(masks.truth.values()), 0);
    EXPECT_LE(*std::ranges::max_element(masks.assumed.values()), 1);
  }
  variety = {};
  variety.per_band = 1;
  Random random(9);
  draw_masks(variety, mask, random, 4, masks);
  EXPECT_TRUE(std::ranges::equal(masks.truth.values(), masks.assumed.values()));
  EXPECT_FALSE(std::equal(masks.truth.row(0, 0), masks.truth.row(1, 0), masks.truth.row(3, 0)));
}

TEST(CameraVariety, SpoiltPixelsHaveNoWeight) {
  CameraVariety variety;
  Random random(4);
  Image y(20, 30);
  Image weights(1, 1);
  for (std::size_t i = 0; i < y.size(); ++i) y.values()[i] = static_cast<float>(i);
  spoil_pixels(variety, random, y, weights);
  EXPECT_TRUE(weights.empty());
  variety.saturation = 1;
  const Image before = y;
  spoil_pixels(variety, random, y, weights);
  ASSERT_EQ(weights.size(), y.size());
  const float level = *std::ranges::max_element(y.values());
  EXPECT_LT(level, 599);
  for (std::size_t i = 0; i < y.size(); ++i) {
    EXPECT_EQ(weights.values()[i], before.values()[i] >= level ? 0 : 1);
    EXPECT_EQ(y.values()[i], std::min(level, before.values()[i]));
  }
}

TEST(CameraVariety, BentSpectraKeepTheirEndsAndAreBetween) {
  Cube cube(5, 1, 2);
  for (int b = 0; b < 5; ++b) cube.row(b, 0)[0] = cube.row(b, 0)[1] = static_cast<float>(b);
  Random random(6);
  bend_spectra(random, cube);
  EXPECT_EQ(cube.row(0, 0)[0], 0);
  EXPECT_EQ(cube.row(4, 0)[0], 4);
  for (int b = 1; b < 5; ++b) EXPECT_GE(cube.row(b, 0)[1], cube.row(b - 1, 0)[1]);
  EXPECT_NE(cube.row(2, 0)[0], 2);
}

TEST(CameraVariety, MovedImagesAreInterpolated) {
  Image image(3, 3);
  image(1, 1) = 4;
  const Image right = moved(image, 0, 0.25);
  EXPECT_EQ(right(1, 1), 3);
  EXPECT_EQ(right(1, 2), 1);
  const Image up = moved(image, -0.5, 0);
  EXPECT_EQ(up(0, 1), 2);
  EXPECT_EQ(up(1, 1), 2);
  EXPECT_NEAR(mean(moved(Image(4, 4, 2.0f), 0.3, -0.7).values()), 2, 1e-6);
}

}  // namespace
}  // namespace snapcube
