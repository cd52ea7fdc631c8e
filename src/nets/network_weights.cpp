#include "nets/network_weights.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.h"

namespace snapcube::nets {

std::vector<std::pair<std::string, torch::Tensor>> kept_tensors(const Network& network) {
  std::vector<std::pair<std::string, torch::Tensor>> tensors;
  for (const auto& p : network.named_parameters()) tensors.emplace_back(p.key(), p.value());
  for (const auto& b : network.named_buffers()) {
    if (!std::string_view(b.key()).ends_with(".num_batches_tracked")) tensors.emplace_back(b.key(), b.value());
  }
  return tensors;
}

Weights weights_of(const Network& network) {
  const torch::NoGradGuard no_gradient;
  Weights weights;
  weights.config = network.config();
  for (const auto& [name, tensor] : kept_tensors(network)) {
    const auto values = tensor.detach().to(torch::kCPU, torch::kFloat).contiguous();
    const float* first = values.data_ptr<float>();
    weights.tensors[name] = {name, tensor.sizes().vec(), FloatBuffer(first, first + values.numel())};
  }
  return weights;
}

Transfer take_weights(Network& network, const Weights& weights) {
  const torch::NoGradGuard no_gradient;
  Transfer transfer;
  std::set<std::string> known;
  for (auto& [name, tensor] : kept_tensors(network)) {
    known.insert(name);
    const auto found = weights.tensors.find(name);
    if (found == weights.tensors.end()) {
      transfer.missing.push_back(name);
    } else if (tensor.sizes() != at::IntArrayRef(found->second.shape)) {
      transfer.misshaped.push_back(fmt::format("{} ({} in the file, {} here)", name, shape_text(found->second.shape),
                                               shape_text(tensor.sizes().vec())));
    } else {
      const auto source = torch::from_blob(const_cast<float*>(found->second.values.data()), tensor.sizes());
      tensor.copy_(source);
      transfer.taken.push_back(name);
    }
  }
  for (const auto& [name, tensor] : weights.tensors) {
    if (!known.contains(name)) transfer.unused.push_back(name);
  }
  return transfer;
}

NetworkPtr network_of(const Weights& weights) {
  NetworkPtr network = make_network(weights.config);
  take_weights(*network, weights);
  network->eval();
  return network;
}

}  // namespace snapcube::nets
