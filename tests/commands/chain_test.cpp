// Chains of real commands, as in a lab's script: simulate, reconstruct, measure. The tolerance stands in the line.

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "run.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::contains;
using testing::Result;
using testing::TemporaryFolder;

/// A small scene, its mask and its measurement.
struct Shot {
  explicit Shot(const TemporaryFolder& folder, const std::string& noise = "none")
      : measurement(folder / "shot.mat"), mask(folder / "mask.mat"), truth(folder / "truth.mat") {
    const Result made = testing::snapcube("simulate --scene chart --size 64x64 --random-mask binary --noise " + noise +
                                          " --save-mask " + mask + " --save-truth " + truth + " -o " + measurement);
    EXPECT_EQ(made.code, 0) << made.output;
  }
  std::string measurement, mask, truth;
};

nlohmann::json json_of(const std::string& arguments) {
  const Result result = testing::snapcube(arguments + " --quiet --json");
  EXPECT_EQ(result.code, 0) << result.output;
  return nlohmann::json::parse(result.output);
}

TEST(Chain, SimulateReconstructEvaluate) {
  TemporaryFolder folder;
  const Shot shot(folder);
  for (const std::string method : {"gap-tv", "twist"}) {
    const std::string cube = folder / (method + ".h5");
    const Result done =
        testing::snapcube("reconstruct " + shot.measurement + " --mask " + shot.mask + " --method " + method + " -o " +
                          cube + " --truth " + shot.truth + " --preview " + (folder / "p.png"));
    ASSERT_EQ(done.code, 0) << done.output;
    EXPECT_TRUE(fs::exists(folder / "p.png"));
    const auto scores = json_of("evaluate " + cube + " " + shot.truth);
    EXPECT_GT(scores["psnr"].get<double>(), 20);
    EXPECT_EQ(scores["protocol"], "toolbox");
    EXPECT_EQ(scores["scenes"].size(), 1u);
    EXPECT_TRUE(contains(done.output, fmt::format("{:.2f} dB", scores["psnr"].get<double>()))) << done.output;
  }
}

TEST(Chain, TheSameSeedGivesTheSameBytes) {
  TemporaryFolder a;
  TemporaryFolder b;
  const Shot first(a, "shot11+gaussian:0.01");
  const Shot second(b, "shot11+gaussian:0.01");
  const Image one = read_measurement(first.measurement);
  const Image two = read_measurement(second.measurement);
  EXPECT_TRUE(std::ranges::equal(one.values(), two.values()));
}

TEST(Chain, AMeasurementSurvivesIntegerFormats) {
  TemporaryFolder folder;
  const Shot shot(folder);
  const Image original = read_measurement(shot.measurement);
  for (const std::string name : {"shot.png", "shot.tif", "shot.hdr"}) {
    const Result converted = testing::snapcube("convert " + shot.measurement + " " + (folder / name) + " --type u16");
    ASSERT_EQ(converted.code, 0) << converted.output;
    const Image back = read_measurement(folder / name);
    ASSERT_EQ(back.size(), original.size());
    for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back.data()[i], original.data()[i], 3e-4) << name;
  }
  const Result refused = testing::snapcube("convert " + shot.measurement + " " + (folder / "shot.npy") + " --type u16");
  EXPECT_EQ(refused.code, 2) << refused.output;
  EXPECT_FALSE(fs::exists(folder / "shot.npy"));
}

TEST(Chain, ManyMeasurementsGoOnAfterABadOne) {
  TemporaryFolder folder;
  const Shot shot(folder);
  fs::create_directory(folder / "shots");
  fs::copy(shot.measurement, folder / "shots/a.mat");
  fs::copy(shot.measurement, folder / "shots/c.mat");
  std::ofstream(folder / "shots/b.mat") << "not a MATLAB file";
  const Result result = testing::snapcube("reconstruct " + (folder / "shots") + " --mask " + shot.mask +
                                          " --iterations 3 --format npy -o " + (folder / "cubes"));
  EXPECT_EQ(result.code, 1) << result.output;
  EXPECT_TRUE(contains(result.output, "1 of 3 failed")) << result.output;
  EXPECT_TRUE(contains(result.output, "b.mat")) << result.output;
  EXPECT_TRUE(fs::exists(folder / "cubes/a.npy"));
  EXPECT_TRUE(fs::exists(folder / "cubes/c.npy"));
  EXPECT_FALSE(fs::exists(folder / "cubes/b.npy"));
}

TEST(Chain, ASingleBadInputExitsWithTwoAndLeavesNothing) {
  TemporaryFolder folder;
  const Shot shot(folder);
  std::ofstream(folder / "bad.mat") << "not a MATLAB file";
  const std::string out = folder / "cube.mat";
  const Result bad = testing::snapcube("reconstruct " + (folder / "bad.mat") + " --mask " + shot.mask + " -o " + out);
  EXPECT_EQ(bad.code, 2) << bad.output;
  EXPECT_TRUE(contains(bad.output, "bad.mat")) << bad.output;
  const Result missing = testing::snapcube("reconstruct /no/such.mat --mask " + shot.mask + " -o " + out);
  EXPECT_EQ(missing.code, 2);
  const Result step =
      testing::snapcube("reconstruct " + shot.measurement + " --mask " + shot.mask + " --step 3 -o " + out);
  EXPECT_EQ(step.code, 2);
  EXPECT_TRUE(contains(step.output, "expected 64×145")) << step.output;
  EXPECT_TRUE(contains(step.output, "found 64×118")) << step.output;
  EXPECT_FALSE(fs::exists(out));
}

TEST(Chain, AConstantMaskIsRefusedPlainly) {
  TemporaryFolder folder;
  const Shot shot(folder);
  write_mask(Image(64, 64, 1.0f), folder / "flat.npy");
  const Result result = testing::snapcube("reconstruct " + shot.measurement + " --mask " + (folder / "flat.npy") +
                                          " -o " + (folder / "x.mat"));
  EXPECT_EQ(result.code, 2);
  EXPECT_TRUE(contains(result.output, "constant")) << result.output;
  const auto report = json_of("inspect --as mask " + (folder / "flat.npy"));
  EXPECT_EQ(report["mask"]["usable"], false);
  EXPECT_EQ(json_of("inspect --as mask " + shot.mask)["mask"]["usable"], true);
}

TEST(Chain, FoldersAreEvaluatedByName) {
  TemporaryFolder folder;
  fs::create_directories(folder / "truth");
  fs::create_directories(folder / "pred");
  for (const char* name : {"one", "two"}) {
    const Cube truth = testing::random_cube(3, 40, 40, 1);
    write(truth, folder / (std::string("truth/") + name + ".mat"));
    Cube pred = truth;
    for (float& v : pred.values()) v += name[0] == 'o' ? 0.1f : 0.01f;
    write(pred, folder / (std::string("pred/") + name + ".npy"));
  }
  const std::string pair = (folder / "pred") + " " + (folder / "truth");
  const auto scores = json_of("evaluate --protocol float " + pair);
  ASSERT_EQ(scores["scenes"].size(), 2u);
  EXPECT_EQ(scores["scenes"][0]["name"], "one");
  EXPECT_NEAR(scores["scenes"][1]["psnr"].get<double>() - scores["scenes"][0]["psnr"].get<double>(), 20, 0.5);
  EXPECT_NEAR(scores["psnr"].get<double>(),
              (scores["scenes"][0]["psnr"].get<double>() + scores["scenes"][1]["psnr"].get<double>()) / 2, 1e-9);
  const Result markdown = testing::snapcube("evaluate --quiet --markdown " + pair);
  EXPECT_EQ(markdown.output.substr(0, 9), "| scene |");
  EXPECT_TRUE(contains(markdown.output, "| mean |"));
  const Result csv = testing::snapcube("evaluate --quiet --csv " + pair);
  EXPECT_EQ(csv.output.substr(0, 10), "scene,psnr");
}

TEST(Chain, EvaluateRefusesCubesOfDifferentShapes) {
  TemporaryFolder folder;
  write(testing::random_cube(3, 40, 40, 1), folder / "a.mat");
  write(testing::random_cube(3, 40, 41, 1), folder / "b.mat");
  const Result result = testing::snapcube("evaluate " + (folder / "a.mat") + " " + (folder / "b.mat"));
  EXPECT_EQ(result.code, 2) << result.output;
}

TEST(Chain, ConvertResamplesAndCrops) {
  TemporaryFolder folder;
  Cube cube = testing::random_cube(31, 20, 24, 1);
  cube.wavelengths = even_wavelengths(400, 10, 31);
  write(cube, folder / "cube.h5");
  const Result done = testing::snapcube("convert " + (folder / "cube.h5") + " " + (folder / "out.mat") +
                                        " --wavelengths published --crop 2,3,10,12");
  ASSERT_EQ(done.code, 0) << done.output;
  const Cube out = read_cube(folder / "out.mat");
  EXPECT_EQ(out.bands(), 28);
  EXPECT_EQ(out.height(), 10);
  EXPECT_EQ(out.width(), 12);
  EXPECT_EQ(out.wavelengths, published_wavelengths());
  const Result outside =
      testing::snapcube("convert " + (folder / "cube.h5") + " " + (folder / "x.mat") + " --wavelengths 390:10:5");
  EXPECT_EQ(outside.code, 2);
  EXPECT_TRUE(contains(outside.output, "390") && contains(outside.output, "400") && contains(outside.output, "700"))
      << outside.output;
  EXPECT_FALSE(fs::exists(folder / "x.mat"));
}

TEST(Chain, SimulateResamplesASceneToTheCamerasBands) {
  TemporaryFolder folder;
  Cube cube = testing::random_cube(31, 16, 16, 1);
  cube.wavelengths = even_wavelengths(400, 10, 31);
  write(cube, folder / "scene.h5");
  const Result done =
      testing::snapcube("simulate " + (folder / "scene.h5") + " --random-mask grey -o " + (folder / "y.mat"));
  ASSERT_EQ(done.code, 0) << done.output;
  EXPECT_TRUE(contains(done.output, "resampled to 28")) << done.output;
  EXPECT_EQ(read_measurement(folder / "y.mat").width(), 16 + 54);
}

TEST(Chain, SimulateAndConvertSayWhatTheyWrote) {
  TemporaryFolder folder;
  const std::string shot = folder / "y.mat", mask = folder / "m.mat", truth = folder / "t.mat", copy = folder / "c.h5";
  const std::string simulate = "simulate --scene chart --size 32x40 --random-mask binary --save-mask " + mask +
                               " --save-truth " + truth + " -o " + shot;
  EXPECT_EQ(testing::snapcube(simulate).output,
            fmt::format("wrote {}: mask, 32×40\nwrote {}: scene, 28 bands of 32×40, 453.5–648 nm\n"
                        "wrote {}: measurement, 32×94\n",
                        mask, truth, shot));
  EXPECT_EQ(testing::snapcube(simulate + " --quiet").output, "");
  EXPECT_EQ(testing::snapcube("convert " + truth + " " + copy + " --crop 0,0,8,9").output,
            fmt::format("wrote {}: 28 bands of 8×9, 453.5–648 nm\n", copy));
  EXPECT_EQ(testing::snapcube("convert " + mask + " " + copy + " --as mask").output,
            fmt::format("wrote {}: mask, 32×40\n", copy));
}

TEST(Chain, ReconstructSaysWhichMethodAndCameraItTook) {
  TemporaryFolder folder;
  const Shot shot(folder);
  const std::string command = "reconstruct " + shot.measurement + " --mask " + shot.mask + " --method gap-tv -o " +
                              (folder / "cube.mat") + " --iterations 2";
  const Result done = testing::snapcube(command);
  EXPECT_TRUE(contains(done.output, "gap-tv, camera of 28 bands 2 pixels apart along the columns, a mask of 64×64\n"))
      << done.output;
  const auto camera = json_of(command)["camera"];
  EXPECT_EQ(camera["bands"], 28);
  EXPECT_EQ(camera["axis"], "columns");
  EXPECT_EQ(camera["offsets"][27], 54);
  EXPECT_EQ(camera["wavelengths"].size(), 28u);
  EXPECT_EQ(camera["mask"], (std::vector{64, 64}));

  // A camera that the model was not trained for.
  const Result other = testing::snapcube(
      "simulate --scene chart --size 32x32 --random-mask binary --bands 3 --offsets "
      "0,1.5,4 --axis rows --save-mask " +
      (folder / "m.mat") + " -o " + (folder / "y.mat"));
  ASSERT_EQ(other.code, 0) << other.output;
  const Result chosen = testing::snapcube("reconstruct " + (folder / "y.mat") + " --mask " + (folder / "m.mat") +
                                          " --offsets 0,1.5,4 --axis rows -o " + (folder / "c.mat"));
  EXPECT_TRUE(contains(chosen.output, "using gap-tv, because prism-s was trained for 28 bands")) << chosen.output;
  EXPECT_TRUE(contains(chosen.output, "3 bands at measured positions over 4 pixels along the rows")) << chosen.output;

  // One like those that the network for any camera was trained for.
  const Result third =
      testing::snapcube("simulate --scene chart --size 32x32 --random-mask binary --bands 12 --step 3 --save-mask " +
                        (folder / "m.mat") + " -o " + (folder / "y.mat"));
  ASSERT_EQ(third.code, 0) << third.output;
  const Result any = testing::snapcube("reconstruct " + (folder / "y.mat") + " --mask " + (folder / "m.mat") +
                                       " --bands 12 --step 3 -o " + (folder / "c.mat"));
  EXPECT_TRUE(contains(any.output, "prism-s, camera of 12 bands 3 pixels apart")) << any.output;
}

TEST(Chain, InspectTellsWhatIsInside) {
  TemporaryFolder folder;
  const Shot shot(folder);
  const auto info = json_of("inspect " + shot.truth);
  EXPECT_EQ(info["cube"]["bands"], 28);
  EXPECT_EQ(info["cube"]["wavelengths"].size(), 28u);
  const Result text = testing::snapcube("inspect " + shot.truth + " " + shot.measurement);
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(contains(text.output, "28 bands of 64×64")) << text.output;
  EXPECT_TRUE(contains(text.output, "64×118")) << text.output;
}

TEST(Chain, DemoWritesWhatItNames) {
  TemporaryFolder folder;
  const Result demo = testing::snapcube("demo --output " + (folder / "out"));
  ASSERT_EQ(demo.code, 0) << demo.output;
  for (const char* name : {"gap-tv.png", "twist.png", "gap-tv.mat", "measurement.png", "mask.png", "truth.mat"}) {
    EXPECT_TRUE(fs::exists(folder / (std::string("out/") + name))) << name;
  }
  EXPECT_TRUE(contains(demo.output, "PSNR"));
}

TEST(Chain, InterruptLeavesNothingBehind) {
  TemporaryFolder folder;
  const Shot shot(folder);
  fs::create_directory(folder / "out");
  // A child that would run for minutes gets SIGINT after half a second.
  const std::string command = "timeout --signal=INT --preserve-status 0.5 " SNAPCUBE_PROGRAM " reconstruct " +
                              shot.measurement + " --mask " + shot.mask + " --iterations 1000000 -o " +
                              (folder / "out/cube.mat");
  const int status = std::system((command + " 2> " + (folder / "message")).c_str());
  EXPECT_EQ(WEXITSTATUS(status), 130);
  EXPECT_TRUE(fs::is_empty(folder / "out"));
}

}  // namespace
}  // namespace snapcube
