// Prism on the command line: what it expects its error to be, and its export.

#include <cmath>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/networks.h"
#include "run.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

/// A network that has learnt nothing and a shot of a camera.
struct PrismCommands : ::testing::Test {
  TemporaryFolder folder;
  Camera camera{random_mask(22, 31, MaskKind::binary, 0.5, 1), {.bands = 5, .step = 1}};

  PrismCommands() {
    ModelConfig config = network_config("prism-s");
    config.bands = 4;
    config.wavelengths.clear();
    write_weights(engine::random_weights(config, 1), folder / "prism.safetensors");
    write_mask(camera.mask(), folder / "mask.mat");
    write_measurement(camera.forward(random_cube(5, 22, 31, 2)), folder / "shot.mat");
  }
  Result reconstruct(const std::string& more) const {
    return snapcube("reconstruct " + folder / "shot.mat" + " --mask " + folder / "mask.mat" + " --bands 5 --step 1 " +
                    more);
  }
  std::string model() const { return "--model " + folder / "prism.safetensors" + " "; }
};

TEST_F(PrismCommands, TheExpectedErrorIsWrittenInAnyFormat) {
  auto method = Reconstructor::open(folder / "prism.safetensors");
  method.reconstruct(read_measurement(folder / "shot.mat"), camera);
  ASSERT_NE(method.expected_error(), nullptr);
  const Image expected = *method.expected_error();
  double sum = 0;
  for (const float v : expected.values()) sum += v;
  for (const std::string name : {"doubt.npy", "doubt.mat", "doubt.h5", "doubt.tif", "doubt.hdr"}) {
    const Result result =
        reconstruct(model() + "--json -q -o " + folder / "cube.npy" + " --expected-error " + folder / name);
    ASSERT_EQ(result.code, 0) << result.output;
    const double told = nlohmann::json::parse(result.output)["results"][0]["expected_error"];
    EXPECT_NEAR(told, sum / static_cast<double>(expected.size()), 1e-6 * told);
    const Image read = read_measurement(folder / name);
    ASSERT_EQ(read.height(), expected.height());
    ASSERT_EQ(read.width(), expected.width());
    EXPECT_TRUE(std::ranges::equal(read.values(), expected.values())) << name;
  }
  EXPECT_EQ(describe(folder / "doubt.mat").arrays.at(0).name, "expected_error");
  ASSERT_EQ(reconstruct(model() + "-q -o " + folder / "cube.npy" + " --expected-error " + folder / "doubt.png").code,
            0);
  EXPECT_TRUE(file_content(folder / "doubt.png").starts_with("\x89PNG"));
}

TEST_F(PrismCommands, SeveralMeasurementsHaveAFolderOfThem) {
  std::filesystem::create_directory(folder / "shots");
  for (const char* name : {"one", "two"}) {
    std::filesystem::copy_file(folder / "shot.mat", folder / ("shots/" + std::string(name) + ".mat"));
  }
  const std::string call = "reconstruct -q " + folder / "shots" + " --mask " + folder / "mask.mat" +
                           " --bands 5 --step 1 --format npy " + model() + "-o " + folder / "cubes";
  const Result same = snapcube(call + " --expected-error " + folder / "cubes");
  EXPECT_EQ(same.code, 2);
  expect_contains(same.output, "--expected-error: expected another folder than the cubes'");
  const Result result = snapcube(call + " --expected-error " + folder / "doubts");
  ASSERT_EQ(result.code, 0) << result.output;
  for (const char* name : {"one", "two"}) {
    EXPECT_EQ(read_measurement(folder / ("doubts/" + std::string(name) + ".npy")).width(), 31);
  }
  // What has gone is made again.
  std::filesystem::remove(folder / "doubts/one.npy");
  ASSERT_EQ(snapcube(call + " --expected-error " + folder / "doubts").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "doubts/one.npy"));
}

TEST_F(PrismCommands, WhoExpectsNoErrorSaysSo) {
  ModelConfig config;
  config.variant = "tiny";
  config.bands = 5;
  config.step = 1;
  config.window = 4;
  config.bucket = 8;
  write_weights(engine::random_weights(config, 1), folder / "cst.safetensors");
  const std::string options = " -q -o " + folder / "cube.npy" + " --expected-error " + folder / "doubt.npy";
  const Result cst = reconstruct("--model " + folder / "cst.safetensors" + options);
  EXPECT_EQ(cst.code, 2);
  expect_contains(cst.output, "--expected-error: expected a network that knows how far off it may be");
  expect_contains(cst.output, "found tiny");
  EXPECT_EQ(reconstruct("--method gap-tv" + options).code, 2);
  EXPECT_EQ(reconstruct(model() + "-q -o " + folder / "a.npy" + " --expected-error " + folder / "a.npy").code, 2);
  for (const char* name : {"cube.npy", "doubt.npy", "a.npy"}) EXPECT_FALSE(std::filesystem::exists(folder / name));
}

TEST_F(PrismCommands, IsTimedBesideOthersInOneRun) {
  const std::string call =
      "bench --runs 2 --size 64 --model " + folder / "prism.safetensors" + " --against prism-s" + " --against cst-s ";
  const Result json = snapcube(call + "--json");
  ASSERT_EQ(json.code, 0) << json.output;
  const auto told = nlohmann::json::parse(json.output);
  ASSERT_EQ(told["against"].size(), 2u);
  EXPECT_EQ(told["against"][0]["model"], "prism-s");
  EXPECT_GT(told["against"][0]["ratio"], 0);
  EXPECT_EQ(told["against"][1]["model"], "cst-s");
  EXPECT_GT(told["planned_mb"], 0.3);
  expect_contains(snapcube(call + "--markdown").output, "| prism-s s | ratio | cst-s s | ratio |");
  expect_contains(snapcube("bench --runs 1 --size 16 --profile --model prism-s").output, "stages.3.output");
  EXPECT_EQ(snapcube("bench --against no-such --size 16 --runs 1").code, 2);
}

TEST_F(PrismCommands, IsExported) {
  const Result result = snapcube("export " + folder / "prism.safetensors" + " " + folder / "prism.onnx");
  ASSERT_EQ(result.code, 0) << result.output;
  expect_contains(result.output, "measurement and camera in");
  EXPECT_GT(std::filesystem::file_size(folder / "prism.onnx"), 200'000u);
}

}  // namespace
}  // namespace snapcube
