#pragma once
// Names and shapes of a CST network's tensors, as the published weights have them.

#include <string_view>
#include <vector>

#include "models/layer_list.h"
#include "models/model_config.h"

namespace snapcube {

/// All that a weights file of this configuration holds: first what is trained, in the order of the published files,
/// then the hash vectors.
std::vector<ParameterShape> cst_parameters(const ModelConfig& config);

/// "<attention>.hash_alpha" [e+2, R] and "<attention>.hash_beta" [R]: drawn once, not trained.
bool is_hash_tensor(std::string_view name);

}  // namespace snapcube
