// snapcube compare, methods: from scenes to a report by the real program.

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/networks.h"
#include "run.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::file_content;
using testing::snapcube;

TEST(Compare, MakesTheTableOfAPaper) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "scenes");
  for (const int i : {1, 2}) {
    write(testing::random_cube(4, 40, 36, static_cast<std::uint64_t>(i)),
          folder / ("scenes/s" + std::to_string(i) + ".npy"));
  }
  write_mask(random_mask(32, 32, MaskKind::binary, 0.5, 1), folder / "scenes/mask.npy");
  ModelConfig config = network_config("mst-s");
  config.bands = 4;
  config.step = 1;
  config.wavelengths.clear();
  write_weights(engine::random_weights(config, 1), folder / "mst.safetensors");
  const std::string call = "compare " + folder / "scenes" + " --mask " + folder / "scenes/mask.npy" +
                           " --step 1 --methods twist,MST-S=" + folder / "mst.safetensors" + " -o " + folder / "out";
  const auto first = snapcube(call);
  ASSERT_EQ(first.code, 0) << first.output;
  const std::string table = file_content(folder / "out/table.md");
  EXPECT_TRUE(contains(table, "| TwIST | – | – |")) << table;
  EXPECT_TRUE(contains(table, "| s1 | s2 | mean |")) << table;
  EXPECT_TRUE(contains(table, "not compared: λ-net, HSSP")) << table;
  EXPECT_FALSE(contains(table, "MST-S,")) << table;
  // The middle of the scene, at the mask's size.
  EXPECT_EQ(read_cube(folder / "out/truth/s1.mat").height(), 32);
  // The scores are those of `evaluate`.
  const auto evaluated = snapcube("evaluate " + folder / "out/cubes/TwIST" + " " + folder / "out/truth" + " --json");
  ASSERT_EQ(evaluated.code, 0) << evaluated.output;
  const double psnr = nlohmann::json::parse(evaluated.output)["psnr"];
  EXPECT_TRUE(contains(table, fmt::format("{:.2f}", psnr))) << table << evaluated.output;
  const std::string page = file_content(folder / "out/report.html");
  EXPECT_TRUE(contains(page, "Memory (MB)"));
  // What is done is not done again.
  const auto second = snapcube(call);
  EXPECT_EQ(second.code, 0);
  EXPECT_TRUE(contains(second.output, "TwIST: already done")) << second.output;
}

TEST(Compare, AMethodThatFailsDoesNotStopTheOthers) {
  const testing::TemporaryFolder folder;
  write(testing::random_cube(4, 16, 16, 1), folder / "s.npy");
  write_mask(random_mask(16, 16, MaskKind::binary, 0.5, 1), folder / "mask.npy");
  const auto result = snapcube("compare " + folder / "s.npy" + " --mask " + folder / "mask.npy" +
                               " --methods gap-tv,MINE=/no/such.safetensors -o " + folder / "out");
  EXPECT_EQ(result.code, 1) << result.output;
  EXPECT_TRUE(contains(result.output, "failed: MINE")) << result.output;
  EXPECT_TRUE(contains(file_content(folder / "out/table.md"), "GAP-TV"));
  EXPECT_EQ(snapcube("compare /no/such.mat --mask " + folder / "mask.npy" + " -o " + folder / "x").code, 2);
}

/// Captures of the detector upside down, a white target's among them; the light is red.
TEST(Compare, CapturesWithoutATruth) {
  const testing::TemporaryFolder folder;
  const Image mask = random_mask(32, 32, MaskKind::binary, 0.5, 1);
  write_mask(mask, folder / "mask.npy");
  std::filesystem::create_directory(folder / "shots");
  const Camera camera(mask, {.bands = 4, .step = 1});
  const auto shoot = [&](Cube cube, const std::string& to) {
    for (int b = 0; b < 4; ++b) {
      for (std::size_t i = 0; i < cube.band_size(); ++i) cube.band(b)[i] *= 0.25f * static_cast<float>(b + 1);
    }
    const Image y = camera.forward(cube);
    Image turned(y.height(), y.width());
    for (int r = 0; r < y.height(); ++r) std::copy_n(y.row(r), y.width(), turned.row(y.height() - 1 - r));
    write_measurement(turned, to);
  };
  const auto flat = [](float value) { return Cube(4, 32, 32, value); };
  shoot(flat(0.3f), folder / "shots/a.npy");
  shoot(testing::random_cube(4, 32, 32, 1), folder / "shots/b.npy");
  shoot(flat(1), folder / "white.npy");
  const std::string call = "compare --no-truth " + folder / "shots" + " --mask " + folder / "mask.npy" +
                           " --step 1 --bands 4 --methods gap-tv,twist --flip rows --white " + folder / "white.npy" +
                           " -o " + folder / "out";
  const auto first = snapcube(call);
  ASSERT_EQ(first.code, 0) << first.output;
  // Reflectance: the grey scene is 0.3 in every band.
  const Cube grey = read_cube(folder / "out/cubes/GAP-TV/a.mat");
  for (int b = 0; b < 4; ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < grey.band_size(); ++i) sum += grey.band(b)[i];
    EXPECT_NEAR(sum / static_cast<double>(grey.band_size()), 0.3, 0.01) << b;
  }
  const std::string table = file_content(folder / "out/table.md");
  EXPECT_TRUE(contains(table, "| Method | Time (s) | Memory (MB) | a | b | Mean |")) << table;
  EXPECT_FALSE(contains(table, "PSNR")) << table;
  const auto times = nlohmann::json::parse(file_content(folder / "out/times/TwIST.json"));
  EXPECT_TRUE(contains(file_content(folder / "out/scores.csv"),
                       fmt::format("TwIST,b,{:.6g},", times["results"][1]["misfit"].get<double>())));
  const std::string page = file_content(folder / "out/report.html");
  EXPECT_TRUE(contains(page, "2 methods on 2 captures of which the truth is not known"));
  EXPECT_TRUE(contains(page, "The measurement"));
  for (const char* made_up : {"PSNR in dB", " dB<", "corr "}) EXPECT_FALSE(contains(page, made_up)) << made_up;
  EXPECT_FALSE(std::filesystem::exists(folder / "out/truth"));
  EXPECT_TRUE(contains(snapcube(call).output, "TwIST: already done"));
  // Options of captures are refused for scenes, a missing truth is missed.
  EXPECT_EQ(
      snapcube("compare " + folder / "shots" + " --flip rows --mask " + folder / "mask.npy" + " -o " + folder / "x")
          .code,
      2);
  const auto missed = snapcube("report " + folder / "out/cubes/TwIST" + " -o " + folder / "x.html");
  EXPECT_EQ(missed.code, 2);
  EXPECT_TRUE(contains(missed.output, "--no-truth")) << missed.output;
}

TEST(Methods, AreListedWithTheirCost) {
  const auto text = snapcube("methods");
  ASSERT_EQ(text.code, 0) << text.output;
  for (const char* name : {"gap-tv", "hdnet", "cst-l-star", "dip-hsi"})
    EXPECT_TRUE(contains(text.output, name)) << name;
  const auto json = nlohmann::json::parse(snapcube("methods --json").output);
  bool seen = false;
  for (const auto& entry : json) {
    if (entry["name"] != "mst-l") continue;
    seen = true;
    EXPECT_EQ(entry["parameters"], 2'018'156);
    EXPECT_EQ(entry["runs_in"], "engine");
    EXPECT_EQ(entry["title"], "MST-L");
  }
  EXPECT_TRUE(seen);
}

}  // namespace
}  // namespace snapcube
