#pragma once

#include <cstdint>

#include "models/weights.h"

namespace snapcube::engine {

/// Weights that no training has seen, for measuring time: every layer keeps the size of what it gets. They depend on
/// the seed and on the tensors' names only.
Weights random_weights(const ModelConfig& config, std::uint64_t seed);

}  // namespace snapcube::engine
