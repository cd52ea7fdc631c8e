#include "render/line_plot.h"

#include <cmath>

#include "support.h"

namespace snapcube {
namespace {

TEST(RoundTicks, CoverTheRangeInRoundSteps) {
  EXPECT_EQ(round_ticks(0, 4000, 8), (std::vector<double>{0, 500, 1000, 1500, 2000, 2500, 3000, 3500, 4000}));
  EXPECT_EQ(round_ticks(12.2, 27.9, 6), (std::vector<double>{10, 15, 20, 25, 30}));
  EXPECT_EQ(round_ticks(3, 3, 2).size(), 3);  // around a single value
}

TEST(RoundTicks, ARangeWithoutEnd) {
  for (const double high : {HUGE_VAL, static_cast<double>(NAN)}) {
    EXPECT_EQ(round_ticks(0, high, 5), (std::vector<double>{0, 1}));
  }
}

TEST(RoundTicks, LargeNumbersNextToEachOther) {
  // Adding one to 1e20 changes nothing.
  for (const double high : {1e20, std::nextafter(1e20, 1e21), 1e20 * (1 + 1e-12)}) {
    const std::vector<double> ticks = round_ticks(1e20, high, 6);
    ASSERT_GE(ticks.size(), 2U);
    EXPECT_LE(ticks.size(), 10U);
    EXPECT_LE(ticks.front(), 1e20);
    EXPECT_GE(ticks.back(), high);
    for (std::size_t i = 1; i < ticks.size(); ++i) EXPECT_GT(ticks[i], ticks[i - 1]);
  }
}

std::array<int, 3> pixel(const Picture& picture, int y, int x) {
  const auto* p = picture.rgb.data() + 3 * (static_cast<std::size_t>(y) * picture.width + x);
  return {p[0], p[1], p[2]};
}

TEST(LinePlot, DrawsALineWhereItsPointsAre) {
  const Picture picture = draw_plot({.title = "t",
                                     .x_label = "x",
                                     .y_label = "y",
                                     .lines = {{.name = "", .ink = {1, 0, 0}, .points = {{0, 0}, {10, 10}}}},
                                     .width = 400,
                                     .height = 300});
  ASSERT_EQ(picture.width, 400);
  ASSERT_EQ(picture.height, 300);
  // The box is 306 × 200 at (70, 44): its centre lies on the line, its upper left quarter does not.
  EXPECT_EQ(pixel(picture, 144, 223)[0], 255);
  EXPECT_LT(pixel(picture, 144, 223)[1], 80);
  EXPECT_EQ(pixel(picture, 90, 110), (std::array{255, 255, 255}));
}

TEST(LinePlot, ManagesWithoutPointsAndWithNan) {
  EXPECT_EQ(draw_plot({}).width, 900);
  draw_plot(
      {.title = {}, .x_label = {}, .y_label = {}, .lines = {{.name = "n", .ink = {}, .points = {{1, NAN}, {2, 3}}}}});
}

}  // namespace
}  // namespace snapcube
