#pragma once
// The one table of the keys of a training run: name in the TOML file, option of the command line, help, reading,
// checking and writing all follow from it.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "samples/config.h"
#include "samples/fields.h"

namespace snapcube {

struct ConfigKey {
  enum class Form {
    number,
    flag,     ///< --NAME and --no-NAME
    text,     ///< one argument
    list,     ///< any number of arguments; they replace the list of the file
    records,  ///< the same, each standing for a table
  };

  std::string section;
  std::string name;
  std::string option;  ///< "--learning-rate"
  Form form;
  std::string expected;  ///< "a number above 0"
  std::string help;
  /// Null where the network has no such thing: all of another one than CST follows from its name.
  std::function<nlohmann::json(const TrainConfig&)> get;
  std::function<std::optional<BadValue>(TrainConfig&, const nlohmann::json&)> set;
  /// Arguments of the option as a value for set(), which refuses what does not fit.
  std::function<nlohmann::json(const std::vector<std::string>&)> from_text;

  std::string path() const { return section + "." + name; }
};

/// In the order in which they are written, and in which they have to be applied: the variant before what it stands for.
const std::vector<ConfigKey>& config_keys();
/// What a section of the file is about, in the order of the file.
struct ConfigSection {
  std::string name;
  std::string help;
};
const std::vector<ConfigSection>& config_sections();

/// Sets one key from the command line: "--learning-rate", {"2e-4"}. Throws InputError that names the option.
void apply_option(TrainConfig& config, std::string_view option, const std::vector<std::string>& arguments);

/// Throws InputError with the reason when no training can come of it: ranges, and what must fit together.
void validate(const TrainConfig& config, const std::string& source = "configuration");
/// That part of it which asks whether the network takes samples of this size.
void validate_crop(const TrainConfig& config, const std::string& source = "configuration");

}  // namespace snapcube
