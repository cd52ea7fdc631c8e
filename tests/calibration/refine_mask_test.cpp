// Masks between pixels: sampling, blur, contrast.

#include "calibration/refine_mask.h"

#include <cmath>
#include <vector>

#include <snapcube/mask.h>

#include "support.h"

namespace snapcube {
namespace {

double mean(const Image& image) {
  double sum = 0;
  for (const float v : image.values()) sum += v;
  return sum / static_cast<double>(image.size());
}

TEST(RefineMask, BothReadingsFollowARampAndGiveThePixelsThemselves) {
  Image ramp(20, 30);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) ramp(y, x) = static_cast<float>(0.02 * y + 0.03 * x);
  }
  std::vector<float> out(8);
  for (const MaskReading reading : {MaskReading::linear, MaskReading::cubic}) {
    const MaskLine line{.row = 5.3, .column = 7.6, .row_step = 0.1, .column_step = 0.9};
    sample_mask(ramp, reading, line, 8, out.data());
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(out[i], 0.02 * (5.3 + 0.1 * i) + 0.03 * (7.6 + 0.9 * i), 1e-6);
    const Image noise = testing::random_image(20, 30, 1);
    sample_mask(noise, reading, {.row = 4, .column = 3}, 8, out.data());
    for (int i = 0; i < 8; ++i) EXPECT_FLOAT_EQ(out[i], noise(4, 3 + i));
  }
}

TEST(RefineMask, BeyondTheEdgeItRepeatsThePixelsThere) {
  const Image noise = testing::random_image(6, 7, 2);
  std::vector<float> out(5);
  for (const MaskReading reading : {MaskReading::linear, MaskReading::cubic}) {
    sample_mask(noise, reading, {.row = 40, .column = -30}, 5, out.data());
    for (const float v : out) EXPECT_FLOAT_EQ(v, noise(5, 0));
    sample_mask(noise, reading, {.row = 2, .column = 6}, 5, out.data());
    for (const float v : out) EXPECT_FLOAT_EQ(v, noise(2, 6));
  }
}

TEST(RefineMask, LinearGivesAPixelItsShareOfAHole) {
  Image hole(5, 5);
  hole(2, 2) = 1;
  float out = 0;
  sample_mask(hole, MaskReading::linear, {.row = 2.25, .column = 1.6}, 1, &out);
  EXPECT_NEAR(out, 0.75 * 0.6, 1e-6);
}

TEST(RefineMask, BlurHasItsVarianceAndKeepsTheLight) {
  for (const double variance : {0.2, 0.5, 0.9, -0.1}) {
    Image point(21, 21);
    point(10, 10) = 1;
    const Image spread = blurred_mask(point, variance);
    double second = 0;
    for (int y = 0; y < 21; ++y) {
      for (int x = 0; x < 21; ++x) second += static_cast<double>(spread(y, x)) * (x - 10) * (x - 10);
    }
    EXPECT_NEAR(mean(spread) * 441, 1, 1e-5);
    EXPECT_NEAR(second, variance, 1e-5);
  }
}

TEST(RefineMask, ContrastKeepsTheMeanAndGoesAsFarAsDarkIsDark) {
  Image mask = random_mask(40, 40, MaskKind::binary, 0.5, 1);
  EXPECT_DOUBLE_EQ(most_contrast(mask), 1);  // nothing is darker than closed
  for (float& v : mask.values()) v = 0.2f + 0.6f * v;
  const double most = most_contrast(mask);
  const MaskContrast c = contrast_of(mask, most);
  EXPECT_NEAR(c.factor * 0.2 + c.offset, 0, 1e-5);
  EXPECT_NEAR(c.factor * mean(mask) + c.offset, mean(mask), 1e-5);
}

TEST(RefineMask, MasksOfTwoValuesAreReadLinearly) {
  EXPECT_EQ(reading_of(random_mask(9, 9, MaskKind::binary, 0.5, 1)), MaskReading::linear);
  EXPECT_EQ(reading_of(random_mask(9, 9, MaskKind::grey, 0.5, 1)), MaskReading::cubic);
}

}  // namespace
}  // namespace snapcube
