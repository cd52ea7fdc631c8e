// snapcube compare, methods: from scenes to a report by the real program.

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
