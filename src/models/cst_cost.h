#pragma once
// Parameters and multiply-adds of a CST network, counted from its configuration.

#include <vector>

#include "models/layer_list.h"
#include "models/model_config.h"

namespace snapcube {

/// One entry a layer or block, in the order of the network, for a frame of height × width.
std::vector<LayerCost> cst_cost(const ModelConfig& config, int height, int width);

}  // namespace snapcube
