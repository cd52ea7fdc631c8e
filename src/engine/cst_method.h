#pragma once

#include <memory>

#include "models/weights.h"
#include "solvers/method.h"

namespace snapcube::engine {

/// CST as a reconstruction method.
std::unique_ptr<Reconstructor::Method> make_cst_method(const Weights& weights);

}  // namespace snapcube::engine
