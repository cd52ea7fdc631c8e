#pragma once

#include <memory>

#include "models/weights.h"
#include "solvers/method.h"

namespace snapcube::engine {

/// MST as a reconstruction method.
std::unique_ptr<Reconstructor::Method> make_mst_method(const Weights& weights);

}  // namespace snapcube::engine
