#pragma once
// What a network is made of and what it costs, as a table for people or as JSON.

#include <string>

#include "models/model_config.h"

namespace snapcube {

std::string describe_text(const ModelConfig& config, int height, int width);
std::string describe_json(const ModelConfig& config, int height, int width);

}  // namespace snapcube
