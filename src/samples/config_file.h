#pragma once
// TrainConfig ↔ TOML.

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "samples/config.h"

namespace snapcube {

/// What the file does not say has its default. Throws InputError ("run.toml: key 'optimisation.ema' (line 12): …") for
/// unknown keys, wrong types and values out of range; what must fit together is validate()'s.
TrainConfig read_config(const std::string& file);
TrainConfig parse_config(std::string_view toml, const std::string& source);

/// Every key, each with a comment; parse_config gives exactly `config` back.
std::string config_text(const TrainConfig& config);
/// What differs from the defaults: {"optimisation.ema": 0.999, …}, values as in the file.
nlohmann::ordered_json changed_settings(const TrainConfig& config);
/// Beside and renamed.
void write_config(const TrainConfig& config, const std::string& file);

}  // namespace snapcube
