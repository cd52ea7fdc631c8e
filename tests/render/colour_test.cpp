#include "render/colour.h"

#include <cmath>
#include <gtest/gtest.h>

#include <snapcube/error.h>
#include <snapcube/render.h>
#include <snapcube/spectrum.h>

#include "render/colour_map.h"
#include "support.h"

namespace snapcube {
namespace {

std::vector<double> grid(double first, double last, double step) {
  std::vector<double> result;
  for (double nm = first; nm <= last; nm += step) result.push_back(nm);
  return result;
}

/// A picture of one pixel with the given spectrum.
template <typename Spectrum>
std::vector<std::uint8_t> rendered(const std::vector<double>& wavelengths, Spectrum spectrum, double exposure = 1) {
  Cube cube(static_cast<int>(wavelengths.size()), 1, 1);
  for (int b = 0; b < cube.bands(); ++b)
    cube(b, 0, 0) = static_cast<float>(spectrum(wavelengths[static_cast<std::size_t>(b)]));
  cube.wavelengths = wavelengths;
  return render_srgb(cube, exposure).rgb;
}

double gauss(double nm, double centre, double width) { return std::exp(-0.5 * std::pow((nm - centre) / width, 2)); }
double lobe(double nm, double centre, double left, double right) {
  return gauss(nm, centre, nm < centre ? left : right);
}

TEST(Colour, MatchingFunctionsAgreeWithAnIndependentFit) {
  // The multi-lobe fit of Wyman, Sloan and Shirley (2013).
  for (double nm = 380; nm <= 780; nm += 2.5) {
    const Triple c = colour_matching(nm);
    EXPECT_NEAR(
        c[0],
        1.056 * lobe(nm, 599.8, 37.9, 31.0) + 0.362 * lobe(nm, 442.0, 16.0, 26.7) - 0.065 * lobe(nm, 501.1, 20.4, 26.2),
        0.025)
        << nm;
    EXPECT_NEAR(c[1], 0.821 * lobe(nm, 568.8, 46.9, 40.5) + 0.286 * lobe(nm, 530.9, 16.3, 31.1), 0.025) << nm;
    EXPECT_NEAR(c[2], 1.217 * lobe(nm, 437.0, 11.8, 36.0) + 0.681 * lobe(nm, 459.0, 26.0, 13.8), 0.05) << nm;
  }
  EXPECT_EQ(colour_matching(379.9)[1], 0);
  EXPECT_EQ(colour_matching(780.1)[1], 0);
}

TEST(Colour, MatchingFunctionsHaveEqualIntegrals) {
  // Defined so that equal-energy light has x = y = 1/3.
  Triple sum{};
  for (double nm = 380; nm <= 780; nm += 5) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += 5 * colour_matching(nm)[k];
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(sum[k], 106.86, 0.02);
}

TEST(Colour, DaylightHasItsChromaticity) {
  Triple sum{};
  for (const Triple& w : xyz_weights(grid(380, 780, 5))) {
    for (std::size_t k = 0; k < 3; ++k) sum[k] += w[k];
  }
  const double total = sum[0] + sum[1] + sum[2];
  EXPECT_NEAR(sum[0] / total, 0.3127, 2e-4);
  EXPECT_NEAR(sum[1] / total, 0.3290, 2e-4);
}

TEST(Colour, FlatSpectraAreNeutralOnEveryGrid) {
  for (const auto& wavelengths : {published_wavelengths(), grid(400, 700, 10), grid(380, 780, 1),
                                  std::vector<double>{648, 453.5, 550}, std::vector<double>{550}, grid(600, 700, 10),
                                  grid(660, 740, 5), grid(800, 1000, 20), std::vector<double>{500, 500}}) {
    Triple white{};
    for (const Triple& w : srgb_weights(wavelengths)) {
      for (std::size_t k = 0; k < 3; ++k) white[k] += w[k];
    }
    for (const double c : white) EXPECT_NEAR(c, 1, 1e-12) << wavelengths.front();
    const auto pixel = rendered(wavelengths, [](double) { return 0.3; });
    EXPECT_EQ(pixel[0], pixel[1]);
    EXPECT_EQ(pixel[1], pixel[2]);
    EXPECT_EQ(pixel[0], 149);  // round(255·(1.055·0.3^(1/2.4) − 0.055))
  }
}

TEST(Colour, RendersSpectraAsComputedElsewhere) {
  // numpy: sums over the 5 nm tables, primaries' matrix built from their chromaticities.
  const auto full = grid(380, 780, 5);
  const auto near = [](const std::vector<std::uint8_t>& pixel, double r, double g, double b) {
    EXPECT_NEAR(pixel[0], r, 1.1);
    EXPECT_NEAR(pixel[1], g, 1.1);
    EXPECT_NEAR(pixel[2], b, 1.1);
  };
  near(rendered(full, [](double nm) { return 0.05 + 0.6 / (1 + std::exp(-(nm - 605) / 11)); }), 186.9, 58.1, 57.8);
  near(rendered(full, [](double nm) { return 0.15 + 0.3 * gauss(nm, 450, 50); }), 92.7, 127.6, 179.6);
}

TEST(Colour, HuesAreWhatPeopleCallThem) {
  const auto hue = [](double nm) {
    return rendered(
        published_wavelengths(), [nm](double x) { return gauss(x, nm, 8); }, 3);
  };
  const auto blue = hue(460);
  EXPECT_GT(blue[2], blue[0] + 60);
  EXPECT_GT(blue[2], blue[1] + 60);
  const auto green = hue(540);
  EXPECT_GT(green[1], green[0] + 60);
  EXPECT_GT(green[1], green[2] + 60);
  const auto yellow = hue(575);
  EXPECT_GT(yellow[0], 150);
  EXPECT_GT(yellow[1], 150);
  EXPECT_LT(yellow[2], 60);
  const auto red = hue(630);
  EXPECT_GT(red[0], red[1] + 60);
  EXPECT_GT(red[0], red[2] + 60);
}

TEST(Colour, ExposureMultipliesLight) {
  const auto pixel = rendered(
      published_wavelengths(), [](double) { return 0.1; }, 3);
  EXPECT_EQ(pixel[0], 149);
  EXPECT_EQ(rendered(
                published_wavelengths(), [](double) { return 0.6; }, 3)[0],
            255);
}

TEST(Colour, TransferFunction) {
  EXPECT_NEAR(encode_srgb(0.5), 0.7353569831, 1e-9);
  EXPECT_NEAR(encode_srgb(0.001), 0.01292, 1e-12);
  EXPECT_EQ(encode_srgb(-1), 0);
  EXPECT_EQ(encode_srgb(7), 1);
  EXPECT_EQ(encode_srgb_byte(std::nan("")), 0);
}

TEST(Colour, NeedsWavelengths) {
  const std::string message = testing::error_of<InputError>([] { render_srgb(Cube(3, 2, 2)); });
  EXPECT_EQ(message, "cube: wavelengths: expected one per band, to compute colours, found none");
  Cube cube(3, 2, 2);
  cube.wavelengths = {500, 600};
  EXPECT_THROW(render_srgb(cube), InputError);
}

TEST(Colour, TintsFollowTheRainbow) {
  EXPECT_GT(wavelength_tint(450)[2], 0.99);
  EXPECT_GT(wavelength_tint(530)[1], 0.99);
  EXPECT_GT(wavelength_tint(640)[0], 0.99);
  EXPECT_EQ(wavelength_tint(1000), (Triple{1, 1, 1}));
}

TEST(ColourMap, LightnessRisesEvenly) {
  // Back from encoded sRGB to L*.
  const auto lightness = [](const Triple& rgb) {
    Triple linear{};
    for (std::size_t k = 0; k < 3; ++k)
      linear[k] = rgb[k] <= 0.04045 ? rgb[k] / 12.92 : std::pow((rgb[k] + 0.055) / 1.055, 2.4);
    const double y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
  };
  for (double t = 0; t < 0.999; t += 0.05) {
    const double step = lightness(error_colour(t + 0.05)) - lightness(error_colour(t));
    EXPECT_GT(step, 3.0) << t;
    EXPECT_LT(step, 6.5) << t;
  }
  EXPECT_EQ(error_colour(-3), error_colour(0));
  EXPECT_EQ(error_colour(9), error_colour(1));
  EXPECT_EQ(error_colour(std::nan("")), error_colour(0));
}

}  // namespace
}  // namespace snapcube
