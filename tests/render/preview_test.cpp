#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/render.h>
#include <snapcube/scene.h>
#include <snapcube/spectrum.h>

#include "render/canvas.h"
#include "render/preview_heading.h"
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
      for (const std::size_t count : {1u, 2u, 3u, 4u, 5u}) {
        const PreviewLayout layout = lay_out(std::vector<Extent>(count, size), size, bands, 90, count % 2 == 0);
        EXPECT_LE(layout.width, std::max(size.height, size.width) > 512 ? 3200 : 1600);
        EXPECT_EQ(layout.bands.size(), static_cast<std::size_t>(bands));
        std::vector<Frame> frames = layout.panels;
        frames.insert(frames.end(), layout.bands.begin(), layout.bands.end());
        if (count % 2 == 0) frames.push_back(layout.plot);
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

TEST(PreviewLayout, LargeFramesHaveLargerBands) {
  const auto band_width = [](int side) { return lay_out({{side, side}}, {side, side}, 28, 0).bands[0].width; };
  EXPECT_EQ(band_width(512), band_width(64));
  EXPECT_GT(band_width(768), 1.3 * band_width(512));
  EXPECT_GT(band_width(1024), 1.8 * band_width(512));
  EXPECT_EQ(band_width(4096), band_width(1024)) << "the picture stays below 3200 pixels";
}

TEST(PreviewHeading, TellsSizeUnitsAndMisfit) {
  Cube cube = random_cube(28, 12, 16, 1);
  EXPECT_EQ(preview_heading(cube, {}, 1).title, "Snapcube");
  EXPECT_EQ(preview_heading(cube, {}, 1).facts, "12×16 pixels · 28 bands · white = 1");
  EXPECT_EQ(preview_heading(cube, {}, 1).scores, "");
  cube.wavelengths = published_wavelengths();
  PreviewOptions options;
  options.title = "shot · cst-s";
  options.misfit = 0.0312;
  options.truth = &cube;
  const PreviewHeading heading = preview_heading(cube, options, 2.5);
  EXPECT_EQ(heading.title, "shot · cst-s");
  EXPECT_EQ(heading.facts, "12×16 pixels · 28 bands · 453.5–648 nm · exposure ×2.5, white = 0.4 · misfit 3.1 %");
  EXPECT_EQ(heading.scores, "PSNR 100.00 dB  ·  SSIM 1.0000");
  EXPECT_EQ(heading.protocol, "toolbox protocol");
  options.misfit = std::numeric_limits<double>::quiet_NaN();  // a black measurement
  EXPECT_EQ(preview_heading(cube, options, 1).facts.find("misfit"), std::string::npos);
}

/// The encoded red, green and blue in the middle of a frame.
std::array<int, 3> middle(const Picture& picture, const Frame& frame) {
  const std::size_t at =
      3 * (static_cast<std::size_t>(frame.top + frame.height / 2) * picture.width + frame.left + frame.width / 2);
  return {picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]};
}

TEST(Preview, BandsAreTintedOrGrey) {
  Cube cube(28, 32, 32, 0.5f);
  cube.wavelengths = published_wavelengths();
  const Frame first = lay_out({{32, 32}}, {32, 32}, 28, 0).bands[0];
  PreviewOptions options;
  options.exposure = 1;
  const auto tinted = middle(render_preview(cube, options), first);
  EXPECT_LT(tinted[1], tinted[2]) << "453.5 nm is blue";
  options.grey_bands = true;
  // 255·(1.055·0.5^(1/2.4) − 0.055) = 187.5
  EXPECT_EQ(middle(render_preview(cube, options), first), (std::array{188, 188, 188}));
}

TEST(Preview, AFixedExposureMakesPicturesComparable) {
  Cube dark(28, 32, 32, 0.1f);
  dark.wavelengths = published_wavelengths();
  Cube light = dark;
  for (float& v : light.values()) v = 0.4f;
  const Frame colours = lay_out({{32, 32}}, {32, 32}, 28, 0).panels[0];
  EXPECT_EQ(middle(render_preview(dark), colours), middle(render_preview(light), colours)) << "each by itself";
  PreviewOptions options;
  options.exposure = 2;
  // 255·(1.055·0.2^(1/2.4) − 0.055) = 123.6 and 255·(1.055·0.8^(1/2.4) − 0.055) = 231.1
  EXPECT_EQ(middle(render_preview(dark, options), colours)[0], 124);
  EXPECT_EQ(middle(render_preview(light, options), colours)[0], 231);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
    options.exposure = bad;
    EXPECT_THROW(render_preview(dark, options), InputError) << bad;
  }
}

TEST(Preview, HasALightTheme) {
  const Cube cube = make_scene("chart", {.height = 32, .width = 32});
  PreviewOptions options;
  EXPECT_LT(render_preview(cube, options).rgb[0], 40);
  options.light = true;
  EXPECT_EQ(render_preview(cube, options).rgb[0], 255);
}

TEST(Preview, PlotsSpectraOfMarkedPlaces) {
  const Cube cube = make_scene("chart", {.height = 64, .width = 64});
  PreviewOptions options;
  options.spectra = 3;
  options.light = true;
  const Picture with = render_preview(cube, options);
  const PreviewLayout layout = lay_out({{64, 64}}, {64, 64}, 28, 0, true);
  EXPECT_EQ(with.height, layout.height);
  // Coloured pixels: lines in the plot, marks in the panel of colours.
  int coloured = 0;
  for (int y = layout.plot.top; y < layout.plot.bottom(); ++y) {
    for (int x = layout.plot.left; x < layout.plot.right(); ++x) {
      const std::uint8_t* p = &with.rgb[3 * (static_cast<std::size_t>(y) * with.width + x)];
      coloured += std::abs(p[0] - p[2]) > 60;
    }
  }
  EXPECT_GT(coloured, 3 * layout.plot.width / 2) << "three lines across the plot";
  EXPECT_LT(coloured, 40 * layout.plot.width);
  options.spectra = 0;
  EXPECT_LT(render_preview(cube, options).height, with.height);
}

TEST(Preview, ShowsTheExpectedErrorInTheColoursOfTheError) {
  const Cube cube(4, 32, 32);
  const Cube truth(4, 32, 32, 0.2f);
  Image expected(32, 32, 0.2f);
  constexpr int kBar = 96;  // room for the colour bar
  const auto panels = lay_out(std::vector<Extent>(4, {32, 32}), {32, 32}, 4, kBar).panels;
  PreviewOptions options{"", nullptr, &truth, &expected};
  const Picture right = render_preview(cube, options);
  EXPECT_EQ(middle(right, panels[3]), middle(right, panels[2])) << "expected as it is";
  std::ranges::fill(expected.values(), 0.0f);
  const Picture wrong = render_preview(cube, options);
  EXPECT_EQ(middle(wrong, panels[2]), middle(right, panels[2])) << "the error sets the scale";
  EXPECT_NE(middle(wrong, panels[3]), middle(right, panels[3]));

  const auto alone = lay_out(std::vector<Extent>(2, {32, 32}), {32, 32}, 4, kBar).panels;
  std::ranges::fill(expected.values(), 0.2f);
  EXPECT_EQ(middle(render_preview(cube, {"", nullptr, nullptr, &expected}), alone[1]), middle(right, panels[3]));
  const Image other(32, 31);
  EXPECT_EQ(error_of<InputError>([&] {
              render_preview(cube, {"", nullptr, nullptr, &other});
            }),
            "expected error: size: expected 32×32 as the cube, found 32×31");
}

TEST(ExpectedError, IsBlackWhereThereIsNone) {
  Image error(3, 4);
  error(1, 2) = 5;
  const Picture picture = render_expected_error(error);
  ASSERT_EQ(picture.width % 4, 0);
  const int zoom = picture.width / 4;
  const auto at = [&](int y, int x) {
    const std::size_t i = 3 * (static_cast<std::size_t>(y * zoom) * picture.width + x * zoom);
    return picture.rgb[i] + picture.rgb[i + 1] + picture.rgb[i + 2];
  };
  EXPECT_LT(at(0, 0), 40);
  EXPECT_GT(at(1, 2), 600);
  EXPECT_EQ(at(2, 3), at(0, 0));
  EXPECT_EQ(render_expected_error(Image()).width, 0);
}

TEST(Preview, WorksForAnyShape) {
  for (const auto& [bands, height, width] :
       {std::tuple{1, 1, 1}, {12, 13, 127}, {31, 127, 13}, {100, 5, 6}, {28, 1, 500}}) {
    const Cube cube = random_cube(bands, height, width, 1);
    const Cube truth = random_cube(bands, height, width, 2);
    const Image measurement = random_image(height, width + 2 * (bands - 1), 3);
    for (const bool with_truth : {false, true}) {
      PreviewOptions options{"title", &measurement, with_truth ? &truth : nullptr};
      options.spectra = 3;
      const Picture picture = render_preview(cube, options);
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
  PreviewOptions spectra;
  spectra.spectra = 9;
  EXPECT_GT(render_preview(cube, spectra).width, 0);
  EXPECT_GT(render_preview(black, spectra).width, 0);
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
