#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_cube;

/// A cube of one spectrum, the same at every pixel.
Cube uniform_cube(const std::vector<double>& wavelengths, const std::vector<double>& spectrum, int height = 1,
                  int width = 1) {
  Cube cube(static_cast<int>(spectrum.size()), height, width);
  cube.wavelengths = wavelengths;
  for (int b = 0; b < cube.bands(); ++b) {
    std::fill_n(cube.band(b), cube.band_size(), static_cast<float>(spectrum[static_cast<std::size_t>(b)]));
  }
  return cube;
}

std::vector<double> lcg(int count) {
  std::vector<double> values;
  std::uint32_t state = 12345;
  for (int i = 0; i < count; ++i) values.push_back((state = state * 1664525u + 1013904223u) / 4294967296.0);
  return values;
}

/// The spectra of make_resample.py.
std::map<std::string, Cube> reference_cubes() {
  std::vector<double> ramp;
  for (int i = 0; i < 31; ++i) ramp.push_back(i * i / 900.0);
  const std::vector<double> even = even_wavelengths(400, 10, 31);
  std::map<std::string, Cube> cubes;
  cubes["ramp"] = uniform_cube(even, ramp, 2, 3);
  cubes["jumps"] = uniform_cube(even, lcg(31), 2, 3);
  cubes["uneven"] = uniform_cube({450, 455.5, 470, 480.25, 520, 600, 650}, lcg(7));
  cubes["two"] = uniform_cube({450, 470}, lcg(2));
  cubes["three"] = uniform_cube({450, 470, 475}, lcg(3));
  cubes["steep"] = uniform_cube({450, 460, 461}, {0.5, 0.51, 0});
  return cubes;
}

TEST(Wavelengths, PublishedAndEven) {
  const auto& published = published_wavelengths();
  ASSERT_EQ(published.size(), 28u);
  EXPECT_EQ(published.front(), 453.5);
  EXPECT_EQ(published[13], 522.5);
  EXPECT_EQ(published.back(), 648.0);
  double sum = 0;
  for (const double w : published) sum += w;
  EXPECT_EQ(sum, 14968.5);  // of the published list, computed apart from this code
  EXPECT_EQ(even_wavelengths(400, 10, 3), (std::vector<double>{400, 410, 420}));
}

TEST(Resample, AgreesWithScipy) {
  const auto cubes = reference_cubes();
  std::ifstream file(testing::data_file("optics/resample.tsv"));
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string name;
    double wavelength = 0, linear = 0, monotone = 0;
    fields >> name >> wavelength >> linear >> monotone;
    ASSERT_FALSE(fields.fail()) << line;
    const Cube& cube = cubes.at(name);
    const std::vector<double> target{wavelength};
    const Cube by_linear = resample(cube, target, Interpolation::linear);
    const Cube by_monotone = resample(cube, target, Interpolation::monotone);
    for (std::size_t i = 0; i < cube.band_size(); ++i) {
      // Half a unit in the last place of the float result.
      EXPECT_NEAR(by_linear.data()[i], linear, 6e-8 * std::fabs(linear) + 1e-12) << line;
      EXPECT_NEAR(by_monotone.data()[i], monotone, 6e-8 * std::fabs(monotone) + 1e-12) << line;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 78);
}

TEST(Resample, ThirtyOneBandsToThePublished) {
  Cube cube = random_cube(31, 13, 7, 1);
  cube.wavelengths = even_wavelengths(400, 10, 31);
  const Cube result = resample(cube, published_wavelengths());
  EXPECT_EQ(result.wavelengths, published_wavelengths());
  ASSERT_EQ(result.bands(), 28);
  // 510 nm is band 11 of the source, 457.5 nm lies three quarters between bands 5 and 6.
  EXPECT_EQ(std::memcmp(result.band(11), cube.band(11), cube.band_size() * sizeof(float)), 0);
  EXPECT_NEAR(result(1, 12, 6), 0.25 * cube(5, 12, 6) + 0.75 * cube(6, 12, 6), 1e-7);
}

TEST(Resample, IsExactAtTheSourcesWavelengths) {
  Cube cube = random_cube(7, 5, 3, 2);
  cube.wavelengths = {450, 455.5, 470, 480.25, 520, 600.1, 650.7};
  const std::vector<double> order{650.7, 450, 480.25, 600.1, 470, 455.5, 520};
  const std::vector<int> band{6, 0, 3, 5, 2, 1, 4};
  for (const auto interpolation : {Interpolation::linear, Interpolation::monotone}) {
    const Cube result = resample(cube, order, interpolation);
    for (int b = 0; b < 7; ++b) {
      EXPECT_EQ(
          std::memcmp(result.band(b), cube.band(band[static_cast<std::size_t>(b)]), cube.band_size() * sizeof(float)),
          0)
          << b;
    }
  }
}

TEST(Resample, MonotoneDoesNotOvershoot) {
  const std::vector<double> spectrum = lcg(31);
  const Cube cube = uniform_cube(even_wavelengths(400, 10, 31), spectrum);
  const Cube fine = resample(cube, even_wavelengths(400, 0.5, 601), Interpolation::monotone);
  for (int i = 0; i < 600; ++i) {
    const float a = cube(i / 20, 0, 0);
    const float b = cube(i / 20 + 1, 0, 0);
    EXPECT_GE(fine(i, 0, 0), std::min(a, b));
    EXPECT_LE(fine(i, 0, 0), std::max(a, b));
  }
}

TEST(Resample, ToleratesRoundingAtTheEnds) {
  Cube cube = random_cube(3, 2, 2, 3);
  cube.wavelengths = {450, 460, 470};
  const Cube result = resample(cube, std::vector{450 - 5e-7, 470 + 5e-7});
  EXPECT_EQ(result(0, 1, 1), cube(0, 1, 1));
  EXPECT_EQ(result(1, 1, 1), cube(2, 1, 1));
  EXPECT_THROW(resample(cube, std::vector{450 - 2e-6}), InputError);
}

TEST(Resample, OneBand) {
  Cube cube = random_cube(1, 2, 2, 3);
  cube.wavelengths = {550};
  EXPECT_EQ(resample(cube, std::vector{550.0})(0, 1, 1), cube(0, 1, 1));
  const std::string message = error_of<InputError>([&] { resample(cube, std::vector{551.0}); });
  EXPECT_EQ(message, "cube: asked for 551 nm, the cube covers 550 nm");
}

TEST(Resample, NamesBothRanges) {
  Cube cube = random_cube(19, 2, 2, 3);
  cube.wavelengths = even_wavelengths(460, 10, 19);
  const std::string message =
      error_of<InputError>([&] { resample(cube, published_wavelengths(), Interpolation::linear, "a.mat"); });
  EXPECT_EQ(message, "a.mat: asked for 453.5–648 nm, the cube covers 460–640 nm");
}

TEST(Resample, RefusesBadGrids) {
  const auto message_for = [](std::vector<double> grid, std::vector<double> wanted) {
    Cube cube = random_cube(3, 2, 2, 3);
    cube.wavelengths = std::move(grid);
    return error_of<InputError>([&] { resample(cube, wanted, Interpolation::linear, "a.mat"); });
  };
  EXPECT_EQ(message_for({}, {450}), "a.mat: wavelengths: expected one for each band, to resample, found none");
  EXPECT_EQ(message_for({450, 460}, {450}), "a.mat: wavelengths: expected 3 (one for each band), found 2");
  EXPECT_EQ(message_for({470, 460, 450}, {450}),
            "a.mat: wavelengths: expected ascending numbers, found 470 nm followed by 460 nm");
  EXPECT_EQ(message_for({450, 460, 460}, {450}),
            "a.mat: wavelengths: expected ascending numbers, found 460 nm followed by 460 nm");
  EXPECT_EQ(message_for({450, NAN, 460}, {450}), "a.mat: wavelengths: expected finite numbers, found NaN or infinity");
  EXPECT_EQ(message_for({450, 455, 460}, {NAN}), "a.mat: wavelengths: expected finite numbers, found NaN or infinity");
  EXPECT_EQ(message_for({450, 455, 460}, {}), "a.mat: wanted wavelengths: expected at least one, found none");
}

}  // namespace
}  // namespace snapcube
