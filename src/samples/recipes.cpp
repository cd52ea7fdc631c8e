#include "samples/recipes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

/// For hours on a few cores, not weeks on a GPU.
TrainConfig quick() {
  TrainConfig c;
  c.crop = 256;  // as wide as the overlap of bands in a frame of 256 wants it
  c.crop_height = 64;
  c.batch = 1;
  c.plain = 0;
  c.exposure = 3;
  c.relight = 0.5;
  c.optimizer = Optimizer::muon;
  c.learning_rate = 1.5e-3;
  c.warmup = 200;
  c.hold = 15'000;
  c.steps = 20'000;
  c.clip = 1;
  c.ema = 0.999;
  c.validate_every = 1000;
  c.save_every = 500;
  return c;
}

/// From weights that are good already: about ten minutes on two cores.
TrainConfig fine_tune() {
  TrainConfig c = quick();
  c.learning_rate = 5e-4;
  c.warmup = 50;
  c.hold = 0;
  c.steps = 3000;
  c.ema = 0.99;
  return c;
}

}  // namespace

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> all = {
      {"published", "the paper's, for weeks on a GPU", {}},
      {"quick", "for hours on a few cores", quick()},
      {"fine-tune", "for minutes from weights that are good already", fine_tune()},
  };
  return all;
}

const TrainConfig& recipe_config(std::string_view name) {
  const auto found = std::ranges::find(recipes(), name, &Recipe::name);
  if (found == recipes().end()) {
    std::vector<std::string> names;
    for (const Recipe& r : recipes()) names.push_back(r.name);
    throw InputError("--recipe", "", fmt::format("one of {}", fmt::join(names, ", ")), std::string(name));
  }
  return found->config;
}

}  // namespace snapcube
