#pragma once
// Between a network and the tensors of a weights file.

#include <string>
#include <utility>
#include <vector>

#include "models/weights.h"
#include "nets/network.h"

namespace snapcube::nets {

/// Everything of a network that is kept: parameters, then buffers (hash vectors, statistics), by name. Batch
/// normalisation's counters do nothing here and are left out.
std::vector<std::pair<std::string, torch::Tensor>> kept_tensors(const Network& network);

/// Everything a weights file holds.
Weights weights_of(const Network& network);

/// In evaluation mode. The weights have passed check_weights, as those of read_weights have.
NetworkPtr network_of(const Weights& weights);

/// Copies the tensors that have a namesake of the same shape in the network; tells what became of all of them.
struct Transfer {
  std::vector<std::string> taken;
  std::vector<std::string> missing;    ///< of the network, not in the file
  std::vector<std::string> misshaped;  ///< "fution.weight (28×24×1×1 in the file, 28×56×1×1 here)"
  std::vector<std::string> unused;     ///< of the file, not in the network
};
Transfer take_weights(Network& network, const Weights& weights);

}  // namespace snapcube::nets
