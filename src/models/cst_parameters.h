#pragma once
// Names and shapes of a CST network's tensors, as the published weights have them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/cst_config.h"

namespace snapcube {

struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> shape;

  bool operator==(const ParameterShape&) const = default;
};

/// All that a weights file of this configuration holds: first what is trained, in the order of the published files,
/// then the hash vectors.
std::vector<ParameterShape> cst_parameters(const CstConfig& config);

/// "<attention>.hash_alpha" [e+2, R] and "<attention>.hash_beta" [R]: drawn once, not trained.
bool is_hash_tensor(std::string_view name);

}  // namespace snapcube
