#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>

#include <snapcube/error.h>
#include <snapcube/scene.h>

#include "optics/scene_spectra.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;

/// FNV-1a over the values, which are multiples of 1/65536.
std::uint64_t fingerprint(const Cube& cube) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const float v : cube.values()) {
    const auto level = static_cast<std::uint32_t>(std::lround(v * 65536));
    for (int shift = 0; shift < 24; shift += 8) hash = (hash ^ ((level >> shift) & 0xFF)) * 0x100000001B3ull;
  }
  return hash;
}

SceneOptions options_of(int height, int width, std::vector<double> wavelengths = published_wavelengths(),
                        std::uint64_t seed = 1) {
  return {height, width, std::move(wavelengths), seed};
}

/// Largest difference between neighbouring bands, over all pixels.
double largest_step(const Cube& cube) {
  double step = 0;
  for (int b = 1; b < cube.bands(); ++b) {
    for (std::size_t i = 0; i < cube.band_size(); ++i) {
      step = std::max<double>(step, std::fabs(cube.band(b)[i] - cube.band(b - 1)[i]));
    }
  }
  return step;
}

/// Share of pixels whose mean over the bands is below a level.
double dark_share(const Cube& cube, double level) {
  std::size_t dark = 0;
  for (std::size_t i = 0; i < cube.band_size(); ++i) {
    double sum = 0;
    for (int b = 0; b < cube.bands(); ++b) sum += cube.band(b)[i];
    dark += sum < level * cube.bands();
  }
  return static_cast<double>(dark) / static_cast<double>(cube.band_size());
}

TEST(Scene, KindsAreNamed) {
  std::string names;
  for (const SceneKind& kind : scene_kinds()) {
    names += kind.name + " ";
    EXPECT_FALSE(kind.description.empty());
  }
  EXPECT_EQ(names, "chart still-life texture resolution ");
}

TEST(Scene, IsTheSameOnEveryMachine) {
  // Found with gcc and with clang alike; a change of a scene changes these on purpose.
  EXPECT_EQ(fingerprint(make_scene("chart", options_of(64, 64))), 2935298955527294952ull);
  EXPECT_EQ(fingerprint(make_scene("still-life", options_of(64, 64))), 1124426317598051004ull);
  EXPECT_EQ(fingerprint(make_scene("texture", options_of(64, 64))), 11207012088283056818ull);
  EXPECT_EQ(fingerprint(make_scene("resolution", options_of(64, 64))), 5889728266673106824ull);
}

TEST(Scene, SeedsChangeItALittle) {
  for (const SceneKind& kind : scene_kinds()) {
    const Cube first = make_scene(kind.name, options_of(48, 48));
    const Cube second = make_scene(kind.name, options_of(48, 48, published_wavelengths(), 2));
    double difference = 0;
    for (std::size_t i = 0; i < first.size(); ++i) difference += std::fabs(first.data()[i] - second.data()[i]);
    difference /= static_cast<double>(first.size());
    EXPECT_GT(difference, 0.002) << kind.name;
    EXPECT_LT(difference, 0.1) << kind.name;
  }
}

TEST(Scene, AnySizeAndGridGivesValuesInRange) {
  for (const SceneKind& kind : scene_kinds()) {
    for (const auto& [height, width] : {std::pair{1, 1}, {13, 127}, {127, 13}, {1, 300}, {2, 3}}) {
      for (const auto& grid : {std::vector<double>{380}, std::vector<double>{780, 380, 550.5, 550.5}}) {
        const Cube cube = make_scene(kind.name, options_of(height, width, grid));
        EXPECT_EQ(cube.bands(), static_cast<int>(grid.size()));
        EXPECT_EQ(cube.height(), height);
        EXPECT_EQ(cube.width(), width);
        EXPECT_EQ(cube.wavelengths, grid);
        for (const float v : cube.values()) {
          ASSERT_TRUE(v >= 0 && v <= 1);
          ASSERT_EQ(v * 65536, std::floor(v * 65536));
        }
      }
    }
  }
}

TEST(Scene, ABandDependsOnItsWavelengthOnly) {
  for (const SceneKind& kind : scene_kinds()) {
    const Cube all = make_scene(kind.name, options_of(20, 31));
    const Cube one = make_scene(kind.name, options_of(20, 31, {published_wavelengths()[9]}));
    EXPECT_TRUE(std::equal(one.values().begin(), one.values().end(), all.band(9))) << kind.name;
  }
}

TEST(Scene, LargerShowsTheSamePicture) {
  for (const SceneKind& kind : scene_kinds()) {
    const std::vector<double> grid = {470, 550, 630};
    const Cube small = make_scene(kind.name, options_of(64, 96, grid));
    const Cube large = make_scene(kind.name, options_of(192, 288, grid));
    double difference = 0;
    for (int b = 0; b < 3; ++b) {
      for (int y = 0; y < 64; ++y) {
        for (int x = 0; x < 96; ++x) {
          double mean = 0;
          for (int i = 0; i < 9; ++i) mean += large(b, 3 * y + i / 3, 3 * x + i % 3) / 9.0;
          difference += std::fabs(mean - small(b, y, x));
        }
      }
    }
    // Sampling of edges and of texture finer than a pixel remains.
    EXPECT_LT(difference / static_cast<double>(small.size()), 0.012) << kind.name;
  }
}

TEST(Scene, SpectraAreSmoothExceptTheNarrowBands) {
  std::vector<double> grid;
  for (double nm = 400; nm <= 700; nm += 2) grid.push_back(nm);
  for (const char* name : {"still-life", "texture"}) {
    EXPECT_LT(largest_step(make_scene(name, options_of(64, 64, grid))), 0.05) << name;
  }
  // Edges of inks are steeper, narrow bands of σ 6 nm the steepest: 0.85·2/6·exp(−½) = 0.17 at 2
  // nm.
  EXPECT_LT(largest_step(make_scene("resolution", options_of(64, 64, grid))), 0.07);
  const double chart = largest_step(make_scene("chart", options_of(256, 256, grid)));
  EXPECT_GT(chart, 0.12);
  EXPECT_LT(chart, 0.18);
}

TEST(Scene, GroundIsDarkAndSomethingIsBright) {
  const auto scene = [](const char* name) { return make_scene(name, options_of(128, 128)); };
  EXPECT_GT(dark_share(scene("still-life"), 0.06), 0.5);
  EXPECT_GT(dark_share(scene("resolution"), 0.06), 0.5);
  EXPECT_GT(dark_share(scene("chart"), 0.06), 0.4);
  EXPECT_LT(dark_share(scene("texture"), 0.06), 0.2);
  for (const SceneKind& kind : scene_kinds()) {
    const Cube cube = scene(kind.name.c_str());
    EXPECT_GT(std::ranges::max(cube.values()), 0.7f) << kind.name;
  }
}

TEST(Scene, EachBandIsBrightestSomewhere) {
  // Spectra cover the range: for every part of it there are pixels that peak there.
  for (const char* name : {"chart", "resolution"}) {
    const Cube cube = make_scene(name, options_of(96, 96));
    std::vector<int> peaks(28);
    for (std::size_t i = 0; i < cube.band_size(); ++i) {
      int best = 0;
      for (int b = 1; b < 28; ++b) {
        if (cube.band(b)[i] > cube.band(best)[i]) best = b;
      }
      ++peaks[static_cast<std::size_t>(best)];
    }
    for (int third = 0; third < 28; third += 7) {
      int count = 0;
      for (int b = third; b < third + 7; ++b) count += peaks[static_cast<std::size_t>(b)];
      EXPECT_GT(count, 30) << name << ' ' << third;
    }
  }
}

TEST(Scene, ChartHasItsPatches) {
  EXPECT_EQ(chart_spectra().size(), 24u);
  const auto at = [](std::string_view name, double nm) {
    for (const NamedSpectrum& s : chart_spectra()) {
      if (s.name == name) return s.spectrum.at(nm);
    }
    return -1.0;
  };
  EXPECT_GT(at("red", 640), 5 * at("red", 550));
  EXPECT_GT(at("green", 530), 3 * at("green", 640));
  EXPECT_GT(at("blue", 455), 4 * at("blue", 600));
  EXPECT_NEAR(at("white", 500), at("white", 640), 0.01);
}

TEST(Spectrum, FollowsItsFormula) {
  const Spectrum s = {0.1, {{600, 10, 0.4}}, {{500, 20, 0.3}}};
  EXPECT_NEAR(s.at(600), 0.1 + 0.2 + 0.3 * std::exp(-12.5), 1e-12);
  EXPECT_NEAR(s.at(520), 0.1 + 0.4 / (1 + std::exp(8.0)) + 0.3 * std::exp(-0.5), 1e-12);
  EXPECT_EQ((Spectrum{2, {}, {}}).at(500), 0.97);
  EXPECT_EQ((Spectrum{-2, {}, {}}).at(500), 0.01);
}

TEST(Scene, RefusesWhatCannotBe) {
  EXPECT_EQ(error_of<InputError>([] { make_scene("chrat"); }),
            "scene: expected one of chart, still-life, texture, resolution, found 'chrat'");
  EXPECT_EQ(error_of<InputError>([] { make_scene("chart", options_of(0, 5)); }),
            "scene: size: expected at least 1×1, found 0×5");
  EXPECT_EQ(error_of<InputError>([] { make_scene("chart", options_of(5, 5, {})); }),
            "scene: wavelengths: expected at least one, found none");
  EXPECT_EQ(error_of<InputError>([] {
              make_scene("chart", options_of(5, 5, {500, 379.5}));
            }),
            "scene: wavelengths: expected 380 to 780 nm, found 379.5 nm");
  EXPECT_THROW(make_scene("chart", options_of(5, 5, {std::nan("")})), InputError);
}

}  // namespace
}  // namespace snapcube
