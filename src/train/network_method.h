#pragma once
// Networks of libtorch as methods of a Reconstructor.

#include <memory>

#include <snapcube/array.h>

#include "methods/method.h"
#include "models/weights.h"
#include "nets/network.h"

namespace snapcube {

/// The cube that a network makes of its input, a measurement scaled and shifted back, in evaluation mode and without
/// gradients.
Cube run_network(nets::Network& network, Cube input, const Image& mask, const torch::Device& device);

std::unique_ptr<Reconstructor::Method> network_method(const Weights& weights);

}  // namespace snapcube
