#pragma once
// Parameters and multiply-adds of a CST network, counted from its configuration.

#include <cstdint>
#include <string>
#include <vector>

#include "models/cst_config.h"

namespace snapcube {

struct LayerCost {
  std::string name;
  std::int64_t parameters = 0;
  /// Convolutions, linear layers and matrix products, as they are.
  double multiply_adds = 0;
  /// As the paper's counter saw them: LayerNorm and a broadcast added, transposed convolutions counted twice.
  double counted_by_paper = 0;
};

/// One entry a layer or block, in the order of the network, for a frame of height × width.
std::vector<LayerCost> cst_cost(const CstConfig& config, int height, int width);
LayerCost total(const std::vector<LayerCost>& layers);

}  // namespace snapcube
