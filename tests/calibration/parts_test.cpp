// Curve, lists, photon transfer, dark frames and windows, each by itself.

#include <cmath>

#include <snapcube/snapcube.h>

#include "base/random.h"
#include "calibration/band_images.h"
#include "calibration/capture_list.h"
#include "calibration/dark_frames.h"
#include "calibration/frame_reader.h"
#include "calibration/mask_window.h"
#include "calibration/photon_transfer.h"
#include "calibration/position_curve.h"
#include "support.h"

namespace snapcube {
namespace {

double prism(double nm) { return 3e7 * (1 / (450.0 * 450) - 1 / (nm * nm)); }

TEST(PositionCurve, FollowsAPrismAndLeavesWrongLabelsOut) {
  std::vector<double> nm;
  std::vector<double> positions;
  Random random(3);
  for (double w = 450; w <= 650; w += 10) {
    nm.push_back(w);
    positions.push_back(prism(w) + 0.01 * random.normal());
  }
  positions[4] += 2.5;
  positions[15] -= 0.7;
  const PositionCurve curve = fit_positions(nm, positions, std::nullopt);
  for (std::size_t i = 0; i < nm.size(); ++i) {
    EXPECT_EQ(curve.outlier[i], i == 4 || i == 15) << nm[i];
    EXPECT_NEAR(curve.at(nm[i]), prism(nm[i]), 0.025);
  }
  EXPECT_LT(curve.rms, 0.02);
  EXPECT_LE(curve.coefficients.size(), 6u);
}

TEST(PositionCurve, ALineStaysALine) {
  std::vector<double> nm;
  std::vector<double> positions;
  Random random(4);
  for (double w = 450; w <= 650; w += 20) {
    nm.push_back(w);
    positions.push_back(0.1 * (w - 450) + 0.01 * random.normal());
  }
  EXPECT_LE(fit_positions(nm, positions, std::nullopt).coefficients.size(), 3u);
  EXPECT_EQ(fit_positions(nm, positions, 3).coefficients.size(), 4u);
  // Four samples are enough, and a curve of them is at most a parabola.
  const PositionCurve few = fit_positions({450, 500, 550, 600}, {0, 5, 10, 15}, std::nullopt);
  EXPECT_LE(few.coefficients.size(), 3u);
  EXPECT_NEAR(few.at(525), 7.5, 1e-6);
}

TEST(CaptureList, WavelengthsInNames) {
  EXPECT_EQ(wavelength_in_name("532nm"), 532);
  EXPECT_EQ(wavelength_in_name("cap_532.5nm_03"), 532.5);
  EXPECT_EQ(wavelength_in_name("Mask 610 NM"), 610);
  EXPECT_EQ(wavelength_in_name("550"), 550);
  EXPECT_EQ(wavelength_in_name("2024-11-18_470nm"), 470);
  EXPECT_EQ(wavelength_in_name("green"), std::nullopt);
  EXPECT_EQ(wavelength_in_name("enmity_5"), std::nullopt);
  EXPECT_EQ(wavelength_in_name("nm"), std::nullopt);
}

TEST(CaptureList, Lines) {
  const auto list = parse_list(
      "\xEF\xBB\xBF"
      "file,nm\r\n# remark\r\n\"a, b.png\", 450\r\nc.png,460,1/30\n",
      "x.csv");
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].file, "a, b.png");
  EXPECT_EQ(list[0].value, "450");
  EXPECT_EQ(list[1].file, "c.png");
  EXPECT_EQ(list[1].line, 4);
  EXPECT_EQ(parse_list("a.png;1\nb.png;2", "x.csv").size(), 2u);
  EXPECT_EQ(parse_list("a.png\t1", "x.csv")[0].value, "1");
  const auto refusal = [](const char* text) {
    return testing::error_of<InputError>([&] { parse_list(text, "x.csv"); });
  };
  testing::expect_contains(refusal("a.png"), "x.csv: line 1: expected a file and a number");
  testing::expect_contains(refusal("a.png,1\n\"b.png,2"), "x.csv: line 2: expected a closing quote");
  testing::expect_contains(refusal("\"a\"b,1"), "expected a separator after the quote");
  testing::expect_contains(refusal("# nothing\n"), "expected lines of a file and a number");
}

TEST(PhotonTransfer, GainAndReadNoise) {
  constexpr double kGain = 2.2;
  constexpr double kNoise = 5;
  Random random(8);
  const Image dark(64, 64, 50.0f);
  const Image good(64, 64, 1.0f);
  const auto frame = [&](double electrons) {
    Image image(64, 64);
    for (int i = 0; i < 64 * 64; ++i) {
      const double shape = 0.8 + 0.4 * (i % 64) / 64;  // uneven light is no noise
      const double e = static_cast<double>(random.poisson(electrons * shape)) + kNoise * random.normal();
      image.data()[i] = static_cast<float>(std::min(4095.0, std::round(50 + e / kGain)));
    }
    return image;
  };
  std::vector<ExposureLevel> levels;
  for (const double e : {200.0, 600.0, 1500.0, 3000.0, 5000.0, 20000.0}) {
    levels.push_back(exposure_level({frame(e), frame(1.02 * e), frame(e)}, dark, good, 4095, "x"));
  }
  const PhotonTransfer found = photon_transfer(levels, 0, 0, true, "x");
  EXPECT_NEAR(found.gain / kGain, 1, 0.03);
  EXPECT_NEAR(found.read_noise / kNoise, 1, 0.4);  // without dark frames it is extrapolated
  for (const ExposureLevel& level : levels) EXPECT_EQ(level.used, level.saturated < 0.5);
  levels.resize(2);  // the full one, which counts nothing, and the darkest
  EXPECT_THROW(photon_transfer(levels, 0, 0, true, "x"), InputError);
}

TEST(DarkFrames, BlackNoiseAndHotPixels) {
  Random random(2);
  DarkFrames frames;
  for (int k = 0; k < 6; ++k) {
    Image image(80, 80);
    for (float& v : image.values()) v = static_cast<float>(std::round(100 + 3 * random.normal()));
    image(5, 7) += 80;
    frames.add(image);
  }
  const DarkFinding found = frames.finding();
  EXPECT_NEAR(found.black_level, 100, 0.4);
  EXPECT_NEAR(found.noise, 3.01, 0.06);
  EXPECT_EQ(found.hot_count, 1);
  EXPECT_EQ(found.hot(5, 7), 1);
  EXPECT_FALSE(found.pattern);
}

TEST(FrameReader, PilesAreFullScale) {
  Random random(2);
  Image image(64, 64);
  for (float& v : image.values()) v = static_cast<float>(std::min(1023.0, std::round(900 + 100 * random.normal())));
  EXPECT_EQ(pile_of(image), 1023);
  for (float& v : image.values()) v = static_cast<float>(std::round(500 + 100 * random.normal()));
  EXPECT_EQ(pile_of(image), 0);
}

TEST(MaskWindow, IsWhereTheLightIs) {
  const Image mask = random_mask(40, 30, MaskKind::binary, 0.5, 3);
  Image light(64, 64);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 30; ++x) light(9 + y, 21 + x) = mask(y, x);
  }
  const Region found = lit_window(light);
  EXPECT_EQ(found.top, 9);
  EXPECT_EQ(found.left, 21);
  EXPECT_EQ(found.height, 40);
  EXPECT_EQ(found.width, 30);
  EXPECT_EQ(lit_window(Image(32, 32)).height, 0);
}

/// The mask explains the image through the splitting of fractions that Camera does.
TEST(BandImages, MasksExplainWhatTheCameraSees) {
  const Image wanted = testing::random_image(20, 40, 5);
  for (const double position : {0.0, 3.0, 2.3, 4.8}) {
    const Camera camera(wanted, {.bands = 2, .offsets = {0, position}});
    Cube ones(2, 20, 40);
    std::fill_n(ones.band(position == 0 ? 0 : 1), ones.band_size(), 1.0f);
    const Image found = mask_of(camera.forward(ones), position, 40);
    double off = 0;
    for (std::size_t i = 0; i < found.size(); ++i) off += std::fabs(found.data()[i] - wanted.data()[i]);
    EXPECT_LT(off / static_cast<double>(found.size()), position == std::floor(position) ? 1e-5 : 0.03) << position;
  }
}

TEST(BandImages, ABandTakesItsOwnCaptureOrLiesBetweenTwo) {
  const std::vector<double> captures = {450, 460, 480};
  const auto own = capture_shares(captures, 460);
  EXPECT_EQ(own[0].capture, 1u);
  EXPECT_EQ(own[0].weight, 1);
  EXPECT_EQ(own[1].weight, 0);
  const auto between = capture_shares(captures, 465);
  EXPECT_EQ(between[0].capture, 1u);
  EXPECT_DOUBLE_EQ(between[0].weight, 0.75);
  EXPECT_DOUBLE_EQ(between[1].weight + between[0].weight + between[2].weight, 1);
}

}  // namespace
}  // namespace snapcube
