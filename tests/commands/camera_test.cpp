// Camera files and raw frames in the commands.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::Result;
using testing::TemporaryFolder;

/// A camera of nine bands with fractions and a mask per band, a scene, and what the detector counts of it.
struct Bench {
  TemporaryFolder folder;
  CameraFile camera;
  Cube truth;
  Image counts;

  Bench() {
    truth = make_scene("chart", {.height = 48, .width = 61, .wavelengths = even_wavelengths(450, 25, 9)});
    Cube masks(9, 48, 61);
    for (int b = 0; b < 9; ++b) {
      const Image mask = random_mask(48, 61, MaskKind::binary, 0.5, b < 4 ? 1 : 2);
      std::copy_n(mask.data(), mask.size(), masks.band(b));
    }
    camera.masks = masks;
    camera.wavelengths = truth.wavelengths;
    for (int b = 0; b < 9; ++b) camera.positions.push_back(1.9 * b + 0.02 * b * b);
    camera.detector.black_level = 240;
    camera.detector.saturation = 60000;
    const Camera device = camera.camera();
    counts = device.forward(truth);
    for (float& v : counts.values()) v = 240 + 6000 * v;
    counts(5, 6) = 65535;  // full
    write_camera(camera, folder / "camera.h5");
    Image stored = counts;
    for (float& v : stored.values()) v /= 65535;
    write_measurement(stored, folder / "shot.png", {.type = SampleType::u16});
    write(truth, folder / "truth.h5");
  }
};

TEST(CameraCommand, ReconstructsRawCountsWithACameraFile) {
  const Bench bench;
  const std::string cube = bench.folder / "cube.h5";
  const Result done = testing::snapcube("reconstruct " + (bench.folder / "shot.png") + " --camera " +
                                        (bench.folder / "camera.h5") + " --method gap-tv --json -o " + cube);
  ASSERT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(contains(done.output, "left out 0 bad and 1 saturated pixels")) << done.output;
  Cube found = read_cube(cube);
  EXPECT_EQ(found.wavelengths, bench.truth.wavelengths);
  for (float& v : found.values()) v *= (60000 - 240) / 6000.0f;
  EXPECT_GT(psnr(found, bench.truth), 22);

  // Without black level and saturation it is worse, and it says what was assumed.
  CameraFile plain = bench.camera;
  plain.detector = {};
  write_camera(plain, bench.folder / "plain.h5");
  const Result naive =
      testing::snapcube("reconstruct " + (bench.folder / "shot.png") + " --camera " + (bench.folder / "plain.h5") +
                        " --method gap-tv -o " + (bench.folder / "n.h5"));
  ASSERT_EQ(naive.code, 0) << naive.output;
  EXPECT_TRUE(contains(naive.output, "counts of which nothing is known")) << naive.output;

  // The same told by options, from a file without a header.
  std::string bytes;
  for (const float v : bench.counts.values()) {
    const auto n = static_cast<unsigned>(std::lround(v));
    bytes += static_cast<char>(n & 255);
    bytes += static_cast<char>(n >> 8);
  }
  testing::write_file(bench.folder / "shot.raw", bytes);
  const Result raw = testing::snapcube(fmt::format(
      "reconstruct {} --raw {}x{}:u16le --black-level 240 --saturation 60000 --camera {} --method gap-tv -o {}",
      bench.folder / "shot.raw", bench.counts.width(), bench.counts.height(), bench.folder / "plain.h5",
      bench.folder / "r.h5"));
  ASSERT_EQ(raw.code, 0) << raw.output;
  EXPECT_EQ(read_cube(bench.folder / "r.h5").values()[100], read_cube(cube).values()[100]);
}

TEST(CameraCommand, InspectSimulateConvert) {
  const Bench bench;
  const std::string camera = bench.folder / "camera.h5";
  const Result shown = testing::snapcube("inspect " + camera);
  ASSERT_EQ(shown.code, 0) << shown.output;
  EXPECT_TRUE(contains(shown.output, "one a band of 48×61")) << shown.output;
  const auto json = nlohmann::json::parse(testing::snapcube("inspect --json " + camera).output);
  EXPECT_EQ(json["camera"]["bands"], 9);
  EXPECT_EQ(json["camera"]["saturation"], 60000);

  const Result simulated = testing::snapcube("simulate " + (bench.folder / "truth.h5") + " --camera " + camera +
                                             " -o " + (bench.folder / "y.h5"));
  ASSERT_EQ(simulated.code, 0) << simulated.output;
  const Image y = read_measurement(bench.folder / "y.h5");
  EXPECT_NEAR(240 + 6000 * y(20, 30), bench.counts(20, 30), 0.1);

  // Other bands of the same camera.
  const Result fewer = testing::snapcube("simulate " + (bench.folder / "truth.h5") + " --camera " + camera +
                                         " --wavelengths 450,500,550,650 -o " + (bench.folder / "y4.h5"));
  ASSERT_EQ(fewer.code, 0) << fewer.output;
  EXPECT_EQ(read_measurement(bench.folder / "y4.h5").width(), y.width());

  // Masks per band there and back, shifted and not.
  const Result masks = testing::snapcube("convert --as masks " + camera + " " + (bench.folder / "m.mat"));
  ASSERT_EQ(masks.code, 0) << masks.output;
  const Result made =
      testing::snapcube("convert --as camera --step 3 " + (bench.folder / "m.mat") + " " + (bench.folder / "c3.h5"));
  ASSERT_EQ(made.code, 0) << made.output;
  const Result shifted =
      testing::snapcube("convert --as masks --shifted " + (bench.folder / "c3.h5") + " " + (bench.folder / "s.mat"));
  ASSERT_EQ(shifted.code, 0) << shifted.output;
  const Result used = testing::snapcube("simulate " + (bench.folder / "truth.h5") + " --mask " +
                                        (bench.folder / "s.mat") + " --step 3 -o " + (bench.folder / "y3.h5"));
  ASSERT_EQ(used.code, 0) << used.output;
  EXPECT_EQ(read_measurement(bench.folder / "y3.h5").width(), 61 + 24);
  const Result wrong = testing::snapcube("simulate " + (bench.folder / "truth.h5") + " --mask " +
                                         (bench.folder / "s.mat") + " --step 2 -o " + (bench.folder / "y2.h5"));
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.output, "is --step right?")) << wrong.output;
}

TEST(CameraCommand, BadInputNamesFileAndField) {
  const Bench bench;
  const Result neither = testing::snapcube("reconstruct " + (bench.folder / "shot.png") + " --method gap-tv -o " +
                                           (bench.folder / "x.h5"));
  EXPECT_EQ(neither.code, 2);
  EXPECT_TRUE(contains(neither.output, "a mask file, or a camera file")) << neither.output;
  const Result outside = testing::snapcube("simulate --scene chart --camera " + (bench.folder / "camera.h5") +
                                           " --wavelengths 300,400 -o " + (bench.folder / "x.h5"));
  EXPECT_EQ(outside.code, 2);
  EXPECT_TRUE(contains(outside.output, "450 … 650 nm")) << outside.output;
  EXPECT_FALSE(std::filesystem::exists(bench.folder / "x.h5"));
}

}  // namespace
}  // namespace snapcube
