#include "samples/recipes.h"

#include <CLI/CLI.hpp>

#include "models/networks.h"
#include "samples/config_keys.h"
#include "samples/options.h"
#include "support.h"

namespace snapcube {
namespace {

TrainConfig from_options(const std::string& line) {
  CLI::App program;
  ConfigOptions options;
  options.add_to(program);
  program.parse(line);
  return options.config();
}

TEST(Recipes, CanBeTrainedWith) {
  for (const Recipe& recipe : recipes()) {
    TrainConfig config = recipe.config;
    config.data = {"scenes"};
    config.masks = {{.kind = MaskSource::Kind::binary}};
    EXPECT_NO_THROW(validate(config)) << recipe.name;
    EXPECT_FALSE(recipe.help.empty());
  }
}

TEST(Recipes, TheFirstIsWhatHoldsWithoutOne) {
  EXPECT_EQ(from_options(""), TrainConfig());
  EXPECT_EQ(from_options("--recipe published"), TrainConfig());
}

TEST(Recipes, FollowTheOptions) {
  const TrainConfig& quick = recipe_config("quick");
  EXPECT_EQ(from_options("--recipe quick"), quick);

  const TrainConfig longer = from_options("--recipe quick --steps 40000");
  EXPECT_EQ(longer.steps, 2 * quick.steps);
  EXPECT_EQ(longer.hold, 2 * quick.hold);
  EXPECT_EQ(longer.warmup, 2 * quick.warmup);
  EXPECT_EQ(from_options("--recipe quick --steps 40000 --hold 7").hold, 7);

  EXPECT_EQ(from_options("--recipe quick --crop 128").sample_height(), 128);
  EXPECT_EQ(from_options("--recipe quick --crop 128 --crop-height 64").sample_height(), 64);
  EXPECT_EQ(from_options("--recipe quick --model tsa-net").sample_height(), 256) << "the only size it has";
}

}  // namespace
}  // namespace snapcube
