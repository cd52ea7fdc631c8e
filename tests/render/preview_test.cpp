#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/render.h>
#include <snapcube/scene.h>

#include "render/canvas.h"
#include "render/preview_layout.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_cube;
using testing::random_image;

TEST(ResizeArea, KeepsTheMeanAndAveragesAreas) {
  const Image image = random_image(13, 127, 1);
  for (const auto& [height, width] : {std::pair{5, 40}, {1, 1}, {13, 127}, {40, 300}, {26, 254}}) {
    const Image result = resize_area(image, height, width);
    double before = 0, after = 0;
    for (const float v : image.values()) before += v;
    for (const float v : result.values()) after += v;
    EXPECT_NEAR(after / static_cast<double>(result.size()), before / static_cast<double>(image.size()), 1e-5);
  }
  Image two(1, 2);
  two(0, 1) = 1;
  const Image three = resize_area(two, 1, 3);
  EXPECT_FLOAT_EQ(three(0, 0), 0.0f);
  EXPECT_FLOAT_EQ(three(0, 1), 0.5f);
  EXPECT_FLOAT_EQ(three(0, 2), 1.0f);
}

TEST(Canvas, ShortensTextToItsRoom) {
  const TextStyle style = {.size = 14};
  EXPECT_EQ(shortened("short", 500, style), "short");
  const std::string cut = shortened("λλλλλλλλλλλλλλλλλλλλ", 60, style);
  EXPECT_LE(text_width(cut, style), 60);
  EXPECT_TRUE(cut.ends_with("λ..."));
}

TEST(PreviewLayout, FramesLieInsideAndApart) {
  for (const int bands : {1, 12, 28, 31, 100, 224}) {
    for (const Extent size : {Extent{256, 256}, {1, 700}, {700, 1}, {13, 127}, {4000, 3000}}) {
      for (const std::size_t count : {1u, 2u, 3u, 4u}) {
        const PreviewLayout layout = lay_out(std::vector<Extent>(count, size), size, bands, 90);
        EXPECT_LE(layout.width, 1600);
        EXPECT_EQ(layout.bands.size(), static_cast<std::size_t>(bands));
        std::vector<Frame> frames = layout.panels;
        frames.insert(frames.end(), layout.bands.begin(), layout.bands.end());
        for (std::size_t i = 0; i < frames.size(); ++i) {
          const Frame& f = frames[i];
          ASSERT_TRUE(f.left >= kMargin && f.right() <= layout.width - kMargin + 1) << bands << ' ' << size.width;
          ASSERT_TRUE(f.top >= kTitleHeight && f.bottom() + kLabel <= layout.height);
          ASSERT_TRUE(f.width > 0 && f.height > 0);
          for (std::size_t k = 0; k < i; ++k) {
            const Frame& g = frames[k];
            ASSERT_TRUE(f.left >= g.right() || g.left >= f.right() || f.top >= g.bottom() || g.top >= f.bottom());
          }
        }
      }
    }
  }
}

TEST(PreviewLayout, KeepsTheShapeOfImages) {
  const PreviewLayout layout = lay_out({{256, 310}, {256, 256}}, {256, 256}, 28, 0);
  EXPECT_NEAR(static_cast<double>(layout.panels[0].width) / layout.panels[0].height, 310.0 / 256, 0.01);
  EXPECT_EQ(layout.panels[1].width, layout.panels[1].height);
  // 28 bands fill whole rows.
  EXPECT_EQ(layout.bands[6].top, layout.bands[0].top);
  EXPECT_GT(layout.bands[7].top, layout.bands[0].top);
}

TEST(Preview, WorksForAnyShape) {
  for (const auto& [bands, height, width] :
       {std::tuple{1, 1, 1}, {12, 13, 127}, {31, 127, 13}, {100, 5, 6}, {28, 1, 500}}) {
    const Cube cube = random_cube(bands, height, width, 1);
    const Cube truth = random_cube(bands, height, width, 2);
    const Image measurement = random_image(height, width + 2 * (bands - 1), 3);
    for (const bool with_truth : {false, true}) {
      const Picture picture = render_preview(cube, {"title", &measurement, with_truth ? &truth : nullptr});
      EXPECT_LE(picture.width, 1600);
      EXPECT_EQ(picture.rgb.size(), std::size_t{3} * picture.height * picture.width);
    }
  }
}

TEST(Preview, ShowsTheColoursOfTheCube) {
  SceneOptions options{.height = 32, .width = 32};
  Cube cube = make_scene("chart", options);
  std::ranges::fill(cube.values(), 0.9f);
  const Picture picture = render_preview(cube);
  // Without a measurement and a truth the first panel is the rendering: a flat 0.9 is a light
  // neutral grey.
  const PreviewLayout layout = lay_out({{32, 32}}, {32, 32}, 28, 0);
  EXPECT_EQ(picture.width, layout.width);
  EXPECT_EQ(picture.height, layout.height);
  const Frame& frame = layout.panels[0];
  const std::size_t middle =
      3 * (static_cast<std::size_t>(frame.top + frame.height / 2) * picture.width + frame.left + frame.width / 2);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(picture.rgb[middle + k], 243);  // 255·(1.055·0.9^(1/2.4) − 0.055)
}

TEST(Preview, MakesDarkCubesVisible) {
  SceneOptions options{.height = 48, .width = 48};
  const Cube bright = make_scene("still-life", options);
  Cube dark = bright;
  for (float& v : dark.values()) v *= 0.125f;
  const auto mean = [](const Picture& p) {
    double sum = 0;
    for (const std::uint8_t v : p.rgb) sum += v;
    return sum / static_cast<double>(p.rgb.size());
  };
  EXPECT_NEAR(mean(render_preview(dark)), mean(render_preview(bright)), 6);
}

TEST(Preview, SurvivesOddValues) {
  Cube cube = random_cube(4, 9, 9, 1);
  cube.values()[5] = std::numeric_limits<float>::quiet_NaN();
  cube.values()[6] = std::numeric_limits<float>::infinity();
  cube.values()[7] = -3e38f;
  const Cube black(4, 9, 9);
  EXPECT_GT(render_preview(cube, {"\xFF\xFE bad text", nullptr, &black}).width, 0);
  EXPECT_GT(render_preview(black, {"", nullptr, &black}).width, 0);
}

TEST(Preview, DoesNotDependOnTheNumberOfThreads) {
  const Cube cube = make_scene("texture", {.height = 40, .width = 56});
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const Picture one = render_preview(cube);
  const Cube scene_one = make_scene("still-life", {.height = 20, .width = 20});
  omp_set_num_threads(3);
  const Picture three = render_preview(cube);
  const Cube scene_three = make_scene("still-life", {.height = 20, .width = 20});
  omp_set_num_threads(before);
  EXPECT_EQ(one.rgb, three.rgb);
  EXPECT_TRUE(std::ranges::equal(scene_one.values(), scene_three.values()));
}

TEST(Preview, RefusesWhatDoesNotFit) {
  const Cube cube(3, 4, 5);
  const Cube other(3, 5, 4);
  EXPECT_EQ(error_of<InputError>([&] {
              render_preview(cube, {"", nullptr, &other});
            }),
            "truth: size: expected 4×5×3 as the cube, found 5×4×3");
  EXPECT_THROW(render_preview(Cube()), InputError);
  const Image nothing;
  EXPECT_THROW(render_preview(cube, {"", &nothing, nullptr}), InputError);
}

}  // namespace
}  // namespace snapcube
