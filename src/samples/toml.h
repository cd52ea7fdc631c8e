#pragma once
// TOML text as a JSON tree with line numbers.

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace snapcube {

struct TomlDocument {
  nlohmann::json values;             ///< tables are objects; numbers are finite
  std::map<std::string, int> lines;  ///< by path: "samples.masks[0].low"
};

/// Throws InputError (source, line) for what is not TOML and for what JSON does not have: times, NaN, infinity.
TomlDocument parse_toml(std::string_view text, const std::string& source);

}  // namespace snapcube
