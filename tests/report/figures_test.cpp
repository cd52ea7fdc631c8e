// The pictures, plots and picks of a report.

#include <cmath>
#include <fmt/format.h>
#include <png.h>

#include <snapcube/scene.h>

#include "render/colour_map.h"
#include "render/picks.h"
#include "report/page.h"
#include "report/scene_section.h"
#include "report/svg.h"
#include "support.h"

namespace snapcube {
namespace {

/// The bytes of base64 text (RFC 4648).
std::string from_base64(const std::string& text) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == std::string_view::npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 255);
    }
  }
  return bytes;
}

TEST(ReportPictures, Base64FollowsTheStandard) {
  // RFC 4648, section 10
  for (const auto& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(png_uri(bytes), "data:image/png;base64," + text);
  }
}

TEST(ReportPictures, AreThePngOfTheirPixels) {
  Picture picture(3, 5);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = static_cast<std::uint8_t>(37 * i);
  const std::string uri = data_uri(picture);
  const std::string bytes = from_base64(uri.substr(uri.find(',') + 1));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) << image.message;
  EXPECT_EQ(image.width, 5u);
  EXPECT_EQ(image.height, 3u);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> pixels(PNG_IMAGE_SIZE(image));
  ASSERT_TRUE(png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr));
  EXPECT_EQ(pixels, picture.rgb);
}

TEST(ReportPictures, CarryTheirMarksAndWords) {
  const std::string svg = picture_svg(Picture(256, 256), {{{10, 20, 30, 40}, "#fff", "a"}}, "a \"b\" <c>");
  testing::expect_contains(svg, "aria-label=\"a &quot;b&quot; &lt;c&gt;\"");
  testing::expect_contains(svg, "<rect x=\"20\" y=\"10\" width=\"40\" height=\"30\"");
  testing::expect_contains(svg, ">a</text>");
}

TEST(ReportPlots, CurvesGoWhereTheirValuesAre) {
  const std::string svg = spectrum_svg(
      "t", {400, 500, 600}, "nm", {{"truth", "#111", false, {0, 0.5, 1}}, {"m", "#f00", true, {1, 0.5, 0}, 0.98765}});
  // 460 × 350 with margins of 56, 12, 36, 56: x 56, 252, 448; y 294, 165, 36 for 0, 0.5, 1
  testing::expect_contains(svg, "d=\"M56.0 294.0L252.0 165.0L448.0 36.0\"");
  testing::expect_contains(svg, "d=\"M56.0 36.0L252.0 165.0L448.0 294.0\" fill=\"none\" stroke=\"#f00\"");
  testing::expect_contains(svg, "m, corr 0.9877");
}

TEST(ReportPlots, TheLegendStandsWhereNoCurveIs) {
  const auto legend = [](const std::vector<double>& values) {
    const std::string svg = spectrum_svg("t", {400, 500, 600, 700}, "nm", {{"truth", "#111", false, values, 0}});
    const auto at = svg.find("class=\"legend\"");
    const auto number = [&](const char* name) { return std::stod(svg.substr(svg.find(name, at) + 4)); };
    return std::pair{number(" x=\"") < 230, number(" y=\"") < 165};  // left, top
  };
  EXPECT_EQ(legend({0.1, 0.1, 0.9, 0.9}), std::pair(true, true));
  EXPECT_EQ(legend({0.95, 0.95, 0.1, 0.1}), std::pair(false, true));
  EXPECT_EQ(legend({0.95, 0.95, 0.95, 0.95}), std::pair(true, false));
}

TEST(ReportPlots, TheScaleOfErrorsHasTheirColours) {
  const std::string svg = error_scale_svg(0.25);
  for (const double t : {0.0, 0.5, 1.0}) {
    const Triple c = error_colour(t);
    testing::expect_contains(
        svg, fmt::format("<stop offset=\"{:g}\" stop-color=\"#{:02x}{:02x}{:02x}\"/>", t, std::lround(255 * c[0]),
                         std::lround(255 * c[1]), std::lround(255 * c[2])));
  }
  testing::expect_contains(svg, ">0.25</text>");
}

TEST(ReportPlots, SurviveFlatAndSingleBands) {
  const std::string svg =
      spectrum_svg("t", {1}, "band", {{"truth", "#111", false, {0}, 0}, {"m", "#f00", true, {0}, std::nan("")}});
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  testing::expect_contains(svg, "m, corr –");
}

TEST(ReportPicks, RegionsAreBrightEvenAndDifferent) {
  // Dark noise everywhere, a red square, a blue one, and a brighter red one that is not even.
  Cube cube = testing::random_cube(6, 64, 64, 1);
  for (float& v : cube.values()) v *= 0.05f;
  Random random(2);
  for (int b = 0; b < 6; ++b) {
    for (int y = 0; y < 12; ++y) {
      for (int x = 0; x < 12; ++x) {
        cube(b, 10 + y, 6 + x) = b >= 3 ? 0.8f : 0.1f;
        cube(b, 40 + y, 42 + x) = b >= 3 ? 0.1f : 0.7f;
        cube(b, 40 + y, 6 + x) = static_cast<float>((b >= 3 ? 1.2 : 0.15) * random.uniform());
      }
    }
  }
  const std::vector<Region> regions = pick_spectral_regions(cube, 2);
  ASSERT_EQ(regions.size(), 2u);
  const auto inside = [](const Region& r, int top, int left) {
    return r.top >= top && r.top + r.height <= top + 12 && r.left >= left && r.left + r.width <= left + 12;
  };
  EXPECT_TRUE(inside(regions[0], 10, 6)) << regions[0].top << " " << regions[0].left;
  EXPECT_TRUE(inside(regions[1], 40, 42)) << regions[1].top << " " << regions[1].left;
}

TEST(ReportPicks, AlwaysLieInside) {
  for (const auto& [height, width] : {std::pair{1, 1}, {1, 13}, {5, 3}, {127, 17}}) {
    const Cube cube = testing::random_cube(3, height, width, 1);
    std::vector<Region> all = pick_spectral_regions(cube, 3);
    all.push_back(pick_detail(cube));
    for (const Region& r : all) {
      EXPECT_GE(r.height, 1);
      EXPECT_LE(r.top + r.height, height);
      EXPECT_LE(r.left + r.width, width);
    }
  }
  EXPECT_TRUE(pick_spectral_regions(Cube(3, 32, 32), 2).empty()) << "nothing to see in the dark";
}

TEST(ReportPicks, DetailIsWhereThereIsSome) {
  Cube cube(2, 64, 64, 0.5f);
  for (int y = 30; y < 44; ++y) {
    for (int x = 34; x < 47; ++x) cube(0, y, x) = cube(1, y, x) = static_cast<float>((x + y) % 2);
  }
  const Region r = pick_detail(cube);
  EXPECT_EQ(r.height, 16);
  EXPECT_GT(r.top + 16, 40);
  EXPECT_LT(r.top, 34);
  EXPECT_GT(r.left + 16, 44);
  EXPECT_LT(r.left, 38);
}

TEST(ReportSection, BandsAreSpread) {
  EXPECT_EQ(spread_bands(28, 4), (std::vector<int>{3, 10, 17, 24}));
  EXPECT_EQ(spread_bands(2, 4), (std::vector<int>{0, 1}));
  EXPECT_EQ(spread_bands(1, 4), (std::vector<int>{0}));
}

TEST(ReportSection, ShowsEverythingItHas) {
  SceneContent scene;
  scene.name = "scene <1>";
  scene.truth = make_scene("chart", {.height = 32, .width = 40});
  scene.measurement = testing::random_image(32, 94, 1);
  const Cube& truth = *scene.truth;
  scene.results.push_back({"first", 0, truth, score(truth, truth), "\x89PNG\r\n\x1a\nsparse"});
  scene.results.push_back({"second", 1, Cube(28, 32, 40, 0.2f), score(Cube(28, 32, 40, 0.2f), truth), {}});
  scene.regions = {{2, 3, 4, 5}};
  scene.detail = {8, 8, 8, 8};
  scene.bands = {0, 20};
  const std::string html = scene_section(scene);
  testing::expect_contains(html, "<h2>scene &lt;1&gt;</h2>");
  testing::expect_contains(html, "100.00 dB<br>1.000");
  testing::expect_contains(html, "Region a: 4×5 pixels at (3, 2)");
  testing::expect_contains(html, "first, corr 1.0000");
  testing::expect_contains(html, "sparsity map");
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = html.find("data:image/png", at)) != std::string::npos; ++at) ++pictures;
  // measurement, overview; colours, detail and two bands of three; two errors; one sparsity map
  EXPECT_EQ(pictures, 2u + 3 * 4 + 2 + 1);
}

TEST(ReportSection, WithoutATruthThereIsNoErrorAndNoScore) {
  SceneContent scene;
  scene.name = "capture";
  const Cube cube = make_scene("chart", {.height = 32, .width = 40});
  scene.measurement = testing::random_image(32, 94, 1);
  scene.results.push_back({.method = "first", .number = 0, .cube = cube, .misfit = 0.0314});
  scene.results.push_back({.method = "second", .number = 1, .cube = Cube(28, 32, 40, 0.2f)});
  scene.regions = {{2, 3, 4, 5}};
  scene.detail = {8, 8, 8, 8};
  scene.bands = {0, 20};
  scene.note = "A note & more.";
  const std::string html = scene_section(scene);
  testing::expect_contains(html, "<b>first</b>misfit 3.1 %</div>");
  testing::expect_contains(html, "<b>second</b></div>");
  testing::expect_contains(html, "A note &amp; more.");
  testing::expect_contains(html, "first; white: regions of the spectra");
  for (const char* made_up : {"Truth", ", truth", " dB", "|error|", ", corr"}) {
    EXPECT_EQ(html.find(made_up), std::string::npos) << made_up;
  }
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = html.find("data:image/png", at)) != std::string::npos; ++at) ++pictures;
  EXPECT_EQ(pictures, 2u + 2 * 4);  // measurement, overview; colours, detail and two bands of two
}

TEST(ReportPage, NeedsNothingElse) {
  const std::string html = report_page("A & B", "<p>x</p>");
  testing::expect_contains(html, "<title>A &amp; B</title>");
  EXPECT_EQ(html.find("http://"), std::string::npos);
  EXPECT_EQ(html.find("https://"), std::string::npos);
  EXPECT_EQ(html.find("<script"), std::string::npos);
}

}  // namespace
}  // namespace snapcube
