// All measures and protocols against tests/data/metrics/expected.tsv, computed by numpy and scipy.

#include <cmath>
#include <fstream>
#include <sstream>

#include <snapcube/metrics.h>

#include "base/text.h"
#include "support.h"

namespace snapcube {
namespace {

struct Pair {
  Cube image;
  Cube truth;
};

/// The formula of make_metrics.py.
Pair make_pair(int bands, int height, int width) {
  Pair pair{Cube(bands, height, width), Cube(bands, height, width)};
  std::uint32_t state = 12345;
  for (int b = 0; b < bands; ++b) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        state = state * 1664525u + 1013904223u;
        const double noise = state / 4294967296.0 - 0.5;
        double truth = (x * (b + 3) + y * (2 * b + 1)) % 37 / 36.0 * 1.2 - 0.1;
        double image = truth + 0.3 * noise;
        if ((x / 4 + y / 4) % 5 == 0) image = truth;
        if ((x + y) % 11 == 0 && x > y) {
          if (y % 3 != 0) truth = 0;
          if (y % 3 != 1) image = 0;
        }
        pair.image(b, y, x) = static_cast<float>(image);
        pair.truth(b, y, x) = static_cast<float>(truth);
      }
    }
  }
  return pair;
}

double compute(const Pair& pair, const std::string& measure, const std::string& protocol, const std::string& band) {
  const auto& [image, truth] = pair;
  if (measure == "sam") return sam(image, truth);
  if (measure == "ergas") return ergas(image, truth);
  if (measure == "rmse") return rmse(image, truth);
  if (measure == "uiqi") return uiqi(image, truth);
  if (measure == "correlation") {
    const int top = image.height() / 2;
    const int left = image.width() / 2;
    return spectral_correlation(image, truth, {top, left, image.height() - top, image.width() - left});
  }
  const Protocol p = parse_protocol(protocol);
  const bool is_psnr = measure == "psnr";
  if (band == "-") return is_psnr ? psnr(image, truth, p) : ssim(image, truth, p);
  const auto per_band = is_psnr ? psnr_per_band(image, truth, p) : ssim_per_band(image, truth, p);
  return per_band.at(static_cast<std::size_t>(std::stoi(band)));
}

TEST(Metrics, AgreeWithNumpy) {
  std::ifstream file(testing::data_file("metrics/expected.tsv"));
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    int bands = 0, height = 0, width = 0;
    std::string measure, protocol, band;
    double expected = 0;
    fields >> bands >> height >> width >> measure >> protocol >> band >> expected;
    ASSERT_FALSE(fields.fail()) << line;
    const Pair pair = make_pair(bands, height, width);
    EXPECT_NEAR(compute(pair, measure, protocol, band), expected, 1e-11 * std::fabs(expected)) << line;
    ++compared;
  }
  EXPECT_EQ(compared, 142);
}

TEST(Metrics, ScoreIsAllOfThem) {
  const auto [image, truth] = make_pair(4, 37, 41);
  const Scores scores = score(image, truth, Protocol::uint8);
  EXPECT_EQ(scores.psnr, psnr(image, truth, Protocol::uint8));
  EXPECT_EQ(scores.ssim, ssim(image, truth, Protocol::uint8));
  EXPECT_EQ(scores.sam, sam(image, truth));
  EXPECT_EQ(scores.ergas, ergas(image, truth));
  EXPECT_EQ(scores.rmse, rmse(image, truth));
  EXPECT_EQ(scores.uiqi, uiqi(image, truth));
}

}  // namespace
}  // namespace snapcube
