#pragma once
// Settings that belong together, by name.

#include <string>
#include <string_view>
#include <vector>

#include "samples/config.h"

namespace snapcube {

struct Recipe {
  std::string name;
  std::string help;
  /// Everything but model, scenes and masks.
  TrainConfig config;
};

/// The first one is what holds where none is named; see docs/training.md for what the others were measured to give.
const std::vector<Recipe>& recipes();

/// The recipe's settings. Throws InputError with the names there are.
const TrainConfig& recipe_config(std::string_view name);

}  // namespace snapcube
