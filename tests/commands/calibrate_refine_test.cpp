// snapcube calibrate --refine.

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::Result;
using testing::TemporaryFolder;

/// Two captures of a camera whose mask has moved down by a pixel since its file was written.
struct Moved {
  TemporaryFolder folder;

  Moved() {
    CameraFile camera;
    camera.mask = random_mask(65, 64, MaskKind::binary, 0.5, 1);
    for (int b = 0; b < 8; ++b) {
      camera.positions.push_back(2.0 * b);
      camera.wavelengths.push_back(450 + 25.0 * b);
    }
    const Image whole = camera.mask;
    camera.mask = crop(whole, {0, 0, 64, 64});
    camera.detector.saturation = 4095;
    camera.provenance = {{"mask", "first calibration"}};
    const Camera device = camera.camera();
    std::filesystem::create_directory(folder.path() / "shots");
    for (const char* kind : {"still-life", "texture"}) {
      const Cube scene = make_scene(kind, {.height = 64, .width = 64, .wavelengths = camera.wavelengths});
      write_measurement(device.forward(scene), folder / ("shots/" + std::string(kind) + ".h5"));
    }
    camera.mask = crop(whole, {1, 0, 64, 64});
    write_camera(camera, folder / "camera.h5");
  }
};

TEST(CalibrateRefine, WritesTheCameraWithWhatItFound) {
  const Moved bench;
  const std::string output = bench.folder / "refined.h5";
  const Result done =
      testing::snapcube("calibrate --refine " + (bench.folder / "shots/") + " --camera " +
                        (bench.folder / "camera.h5") + " --parameters right,down,turn --json -q -o " + output);
  ASSERT_EQ(done.code, 0) << done.output;
  const auto json = nlohmann::json::parse(done.output);
  EXPECT_EQ(json["captures"].size(), 2U);
  ASSERT_EQ(json["parameters"].size(), 3U);
  EXPECT_EQ(json["parameters"][1]["name"], "down");
  EXPECT_EQ(json["parameters"][1]["verdict"], "found");
  EXPECT_NEAR(json["parameters"][1]["value"].get<double>(), 1, 0.1);
  EXPECT_NEAR(json["parameters"][0]["value"].get<double>(), 0, 0.1);
  EXPECT_LT(json["unseen"]["after"].get<double>(), 0.5 * json["unseen"]["before"].get<double>());
  const CameraFile before = read_camera(bench.folder / "camera.h5");
  const CameraFile after = read_camera(output);
  EXPECT_EQ(after.positions, before.positions);
  EXPECT_EQ(after.detector.saturation, 4095);
  EXPECT_EQ(after.provenance.at("mask"), "first calibration");
  EXPECT_TRUE(contains(after.provenance.at("refined with"), "still-life.h5 (20"))
      << after.provenance.at("refined with");
  EXPECT_TRUE(contains(after.provenance.at("changed"), "down 1.0")) << after.provenance.at("changed");
  double distance = 0;
  for (int x = 0; x < 64; ++x) distance += std::fabs(after.mask(30, x) - before.mask(29, x));
  EXPECT_LT(distance / 64, 0.1);
}

TEST(CalibrateRefine, BadInputIsNamedAndNothingIsWritten) {
  const Moved bench;
  const std::string start = "calibrate --refine " + (bench.folder / "shots/") + " ";
  const std::string camera = " --camera " + (bench.folder / "camera.h5");
  const std::string output = " -o " + (bench.folder / "x.h5");
  const auto refused = [&](const std::string& arguments, const std::string& part) {
    const Result result = testing::snapcube(arguments);
    EXPECT_EQ(result.code, 2) << result.output;
    EXPECT_TRUE(contains(result.output, part)) << result.output;
    EXPECT_FALSE(std::filesystem::exists(bench.folder / "x.h5"));
  };
  refused(start + output, "a mask file, or a camera file");
  refused(start + camera + " -o " + (bench.folder / "x.mat"), "a camera file (.h5)");
  refused(start + camera + " --parameters down,zoom" + output, "found 'zoom'");
  refused(start + camera + " --step 3" + output, "64×85");
  write_measurement(Image(64, 78, 0.5f), bench.folder / "grey.h5");
  refused("calibrate --refine " + (bench.folder / "grey.h5") + camera + output, "light that shows the mask");
  refused("calibrate --refine " + (bench.folder / "none.h5") + camera + output, "none.h5");
}

}  // namespace
}  // namespace snapcube
