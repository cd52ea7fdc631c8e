#include "draw/raster.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <vector>

namespace snapcube {
namespace {

double total(const Image& image) {
  double sum = 0;
  for (const float v : image.values()) sum += v;
  return sum;
}

TEST(Raster, DiscHasItsArea) {
  for (const double radius : {0.2, 0.7, 3.3, 11.0, 29.5}) {
    Image image(64, 64);
    fill_disc(image, {31.3, 32.8}, radius);
    EXPECT_NEAR(total(image), std::numbers::pi * radius * radius, 1e-4 * radius * radius + 1e-6) << radius;
  }
}

TEST(Raster, PolygonHasItsAreaInEitherDirection) {
  std::vector<Point> outline = {{3.25, 2.5}, {27.75, 8.125}, {19.5, 30.0}, {12.0, 14.5}};
  double area = 0;  // shoelace formula
  for (std::size_t i = 0; i < 4; ++i) {
    const Point& a = outline[i];
    const Point& b = outline[(i + 1) % 4];
    area += 0.5 * (a.x * b.y - b.x * a.y);
  }
  Image image(33, 31);
  fill_polygon(image, outline);
  EXPECT_NEAR(total(image), std::fabs(area), 1e-4);
  Image reversed(33, 31);
  fill_polygon(reversed, std::vector<Point>(outline.rbegin(), outline.rend()));
  for (std::size_t i = 0; i < image.size(); ++i) EXPECT_NEAR(image.data()[i], reversed.data()[i], 1e-6);
}

TEST(Raster, RectangleCoversPartsOfPixelsExactly) {
  Image image(3, 4);
  fill_rectangle(image, 0.5, 0.25, 2.0, 1.5);
  const float expected[3][4] = {{0.375f, 0.75f, 0.375f, 0}, {0.375f, 0.75f, 0.375f, 0}, {0, 0, 0, 0}};
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) EXPECT_FLOAT_EQ(image(y, x), expected[y][x]) << y << ' ' << x;
  }
}

TEST(Raster, ShapesAreCutAtEachBorder) {
  // A disc around each corner: a quarter is inside. Around the middle of each side: a half.
  const double area = std::numbers::pi * 100;
  for (const double x : {0.0, 20.0, 40.0}) {
    for (const double y : {0.0, 25.0, 50.0}) {
      Image image(50, 40);
      fill_disc(image, {x, y}, 10);
      const double share = (x == 20 ? 1.0 : 0.5) * (y == 25 ? 1.0 : 0.5);
      EXPECT_NEAR(total(image), share * area, 0.02) << x << ' ' << y;
    }
  }
  Image image(50, 40);
  fill_rectangle(image, -1e12, -1e12, 2e12, 2e12);
  EXPECT_FLOAT_EQ(static_cast<float>(total(image)), 2000.0f);
}

TEST(Raster, WhatLiesOutsideOrIsNoNumberLeavesNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Image image(7, 5);
  fill_rectangle(image, 5, 0, 4, 4);
  fill_rectangle(image, -9, -9, 9, 30);
  fill_disc(image, {1e300, 2}, 5);
  fill_disc(image, {2, 2}, -1);
  fill_disc(image, {nan, nan}, 1);
  stroke_polyline(image, std::vector<Point>{{-50, -50}, {-40, 90}}, 3);
  stroke_polyline(image, std::vector<Point>{{nan, nan}}, 3);
  stroke_polyline(image, std::vector<Point>{}, 3);
  stroke_polyline(image, std::vector<Point>{{2, 2}}, 0);
  draw_text(image, "abc", {900, 3}, {.size = 12});
  draw_text(image, "abc", {0, 3}, {.size = 0});
  EXPECT_EQ(total(image), 0);
}

TEST(Raster, LinesKeepTheirArea) {
  // Length 20 between round caps; thin ones fade, wide ones are full inside.
  for (const double width : {0.25, 1.0, 3.5}) {
    Image image(30, 40);
    stroke_polyline(image, std::vector<Point>{{8.3, 14.7}, {28.3, 14.7}}, width);
    const double caps = std::numbers::pi * width * width / 4;
    // The ends of a thin line are as long as a pixel, whatever its width.
    EXPECT_GT(total(image), 20 * width) << width;
    EXPECT_LT(total(image), 21 * width + caps) << width;
  }
  Image image(30, 40);
  stroke_polyline(image, std::vector<Point>{{8, 15}, {28, 15}}, 4);
  EXPECT_FLOAT_EQ(image(15, 18), 1.0f);
  EXPECT_FLOAT_EQ(image(19, 18), 0.0f);
}

TEST(Raster, ShapesUnite) {
  Image image(4, 4);
  fill_rectangle(image, 0, 0, 2.5, 4);
  fill_rectangle(image, 0, 0, 2.25, 4);
  EXPECT_FLOAT_EQ(image(1, 2), 0.5f);
}

TEST(Raster, TextStaysInItsWidthAndHeight) {
  for (const double size : {9.0, 13.0, 24.0}) {
    const TextStyle style = {.size = size};
    const double width = text_width("Hgjpq|", style);
    Image image(60, 300);
    draw_text(image, "Hgjpq|", {20, 40}, style);
    EXPECT_GT(total(image), 10);
    for (int y = 0; y < 60; ++y) {
      for (int x = 0; x < 300; ++x) {
        if (image(y, x) == 0) continue;
        EXPECT_GE(x, 18);
        EXPECT_LE(x, 20 + width);
        EXPECT_GE(y, 40 - size);
        EXPECT_LE(y, 40 + 0.4 * size);
      }
    }
  }
}

TEST(Raster, TextIsSharpWhenFitted) {
  // The stem of an I at size 14 is one pixel wide and dark neighbours show that it lies in the
  // middle of it.
  Image image(20, 20);
  draw_text(image, "I", {5, 15}, {.size = 12});
  EXPECT_GT(image(10, 5), 0.9f);
  EXPECT_LT(image(10, 4) + image(10, 6), 0.35f);
}

}  // namespace
}  // namespace snapcube
