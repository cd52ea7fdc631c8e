#pragma once
// Every key of a training run as an option of the command line.

#include <map>
#include <string>
#include <vector>

#include "samples/config.h"

namespace CLI {
class App;
}

namespace snapcube {

/// Lives as long as the command it is added to.
class ConfigOptions {
 public:
  ConfigOptions() = default;
  ConfigOptions(const ConfigOptions&) = delete;
  ConfigOptions& operator=(const ConfigOptions&) = delete;

  /// --config, --recipe and one option a key.
  void add_to(CLI::App& command);

  /// The file of --config, or the recipe (that of --recipe, or else `recipe`) for `model`, with the given options
  /// over it. Not validated.
  TrainConfig config(const std::string& recipe = "published", const ModelConfig& model = TrainConfig().model) const;
  /// The given options over a configuration from elsewhere, such as that of a run that is resumed.
  void apply_to(TrainConfig& config) const;
  /// The options that were given, but for --config and --recipe: "--steps", …
  std::vector<std::string> given() const;
  bool has(const std::string& option) const { return arguments_.contains(option); }
  const std::string& file() const { return file_; }
  /// The name given with --recipe; empty: none.
  const std::string& recipe() const { return recipe_; }

 private:
  void follow(const TrainConfig& recipe, TrainConfig& config) const;

  std::string file_;
  std::string recipe_;
  std::map<std::string, std::vector<std::string>> arguments_;  ///< by option, of those that were given
};

}  // namespace snapcube
