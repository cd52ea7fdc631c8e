#include "samples/options.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "samples/config_file.h"
#include "samples/config_keys.h"
#include "samples/recipes.h"

namespace snapcube {

namespace {

using Form = ConfigKey::Form;

std::string group_name(const std::string& section) {
  std::string name = section;
  name.front() = static_cast<char>(name.front() - 'a' + 'A');
  return name;
}

std::string help_text(const ConfigKey& key, const TrainConfig& defaults) {
  if (key.name == "masks") {
    return "source of masks, any number: FILE, file:FILE,weight=W,flips=yes,blur=σ, or random ones, "
           "binary:low=0.3,high=0.7,weight=W, grey:…";
  }
  if (key.name == "noises") return key.help + "; MODEL@WEIGHT, any number [none]";
  std::string text = key.help;
  if (key.expected.starts_with("one of ")) text += fmt::format(" ({})", key.expected.substr(7));
  const nlohmann::json value = key.get(defaults);
  if (key.name == "wavelengths") return text + ": a list, FIRST:STEP:COUNT or 'published' [published]";
  if (key.name == "blocks") return text + fmt::format(" [{}]", fmt::join(defaults.model.blocks, ","));
  if (value.is_string() && !value.get<std::string>().empty()) text += " [" + value.get<std::string>() + "]";
  if (value.is_number() || value.is_boolean()) text += " [" + value.dump() + "]";
  return text;
}

}  // namespace

void ConfigOptions::add_to(CLI::App& command) {
  command.add_option("--config", file_, "a TOML file with any of the keys below; options override it");
  std::vector<std::string> choices;
  for (const Recipe& r : recipes()) choices.push_back(fmt::format("{} ({})", r.name, r.help));
  command
      .add_option("--recipe", recipe_,
                  fmt::format("settings that belong together: {} [published; with --init: fine-tune]",
                              fmt::join(choices, ", ")))
      ->excludes("--config");
  const TrainConfig defaults;
  for (const ConfigKey& key : config_keys()) {
    const std::string help = help_text(key, defaults);
    CLI::Option* option = nullptr;
    if (key.form == Form::flag) {
      const std::string names = fmt::format("{0},!--no-{1}", key.option, key.option.substr(2));
      const auto note = [this, name = key.option](std::int64_t count) {
        arguments_[name] = {count > 0 ? "true" : "false"};
      };
      option = command.add_flag_function(names, note, help);
    } else {
      const auto note = [this, name = key.option](const std::vector<std::string>& texts) { arguments_[name] = texts; };
      option = command.add_option_function<std::vector<std::string>>(key.option, note, help);
      option->type_name(key.form == Form::number ? "FLOAT" : "TEXT");
      if (key.form != Form::list && key.form != Form::records) option->expected(1);
    }
    option->group(group_name(key.section));
  }
}

TrainConfig ConfigOptions::config(const std::string& recipe, const ModelConfig& model) const {
  if (!file_.empty()) {
    TrainConfig config = read_config(file_);
    apply_to(config);
    return config;
  }
  const TrainConfig& basis = recipe_config(recipe_.empty() ? recipe : recipe_);
  TrainConfig config = basis;
  config.model = model;
  apply_to(config);
  follow(basis, config);
  return config;
}

/// What the recipe says of steps and crops where options changed a part of it.
void ConfigOptions::follow(const TrainConfig& recipe, TrainConfig& config) const {
  const auto in_proportion = [&](std::int64_t steps) {
    return static_cast<std::int64_t>(static_cast<double>(steps) * static_cast<double>(config.steps) /
                                     static_cast<double>(recipe.steps));
  };
  if (!has("--warmup")) config.warmup = in_proportion(recipe.warmup);
  if (!has("--hold")) config.hold = in_proportion(recipe.hold);
  if (!has("--crop-height")) {
    const FrameSize usable = usable_size(config.model, config.sample_height(), config.sample_width());
    const bool fits = usable.height == config.sample_height() && usable.width == config.sample_width();
    if (has("--crop") || !fits) config.crop_height = 0;
  }
}

void ConfigOptions::apply_to(TrainConfig& config) const {
  for (const ConfigKey& key : config_keys()) {
    const auto given = arguments_.find(key.option);
    if (given != arguments_.end()) apply_option(config, key.option, given->second);
  }
}

std::vector<std::string> ConfigOptions::given() const {
  std::vector<std::string> names;
  for (const auto& [name, texts] : arguments_) names.push_back(name);
  return names;
}

}  // namespace snapcube
