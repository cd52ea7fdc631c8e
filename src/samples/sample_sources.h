#pragma once
// Masks and noise models of the samples, as lists of weighted sources: their JSON form and their form in an option.

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "samples/config.h"
#include "samples/fields.h"

namespace snapcube {

/// In the order in which they are written.
std::vector<std::string> mask_key_names();
nlohmann::json masks_to_json(const TrainConfig& config);
std::optional<BadValue> masks_from_json(TrainConfig& config, const nlohmann::json& list);
/// "mask.mat", "file:mask.mat,weight=0.5,flips=yes", "binary:low=0.3,high=0.7", "grey".
nlohmann::json mask_from_text(const std::string& text);

nlohmann::json noises_to_json(const TrainConfig& config);
std::optional<BadValue> noises_from_json(TrainConfig& config, const nlohmann::json& list);
/// "shot11", "shot11+gaussian:0.005@0.75": a noise model and, after '@', its weight.
nlohmann::json noise_from_text(const std::string& text);

}  // namespace snapcube
