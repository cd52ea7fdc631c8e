#include "models/networks.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "models/cst_cost.h"
#include "models/cst_parameters.h"

namespace snapcube {

namespace {

/// Sizes of weights do not depend on the frame, or only one frame is possible.
constexpr Extent kPublishedFrame = {256, 256};

std::vector<NetworkInfo>& announced() {
  static std::vector<NetworkInfo> all;
  return all;
}

}  // namespace

AnnounceNetwork::AnnounceNetwork(NetworkInfo info) {
  auto& all = announced();
  const auto later = [](const NetworkInfo& a, const NetworkInfo& b) {
    return a.year < b.year;
  };
  all.insert(std::upper_bound(all.begin(), all.end(), info, later), std::move(info));
}

std::string_view text(InputForm form) {
  switch (form) {
    case InputForm::shifted_and_mask:
      return "measurement shifted back, mask";
    case InputForm::shifted:
      return "measurement shifted back";
    case InputForm::shifted_times_mask:
      return "measurement shifted back, times the mask";
    case InputForm::shifted_and_masks:
      return "measurement shifted back, shifted masks";
    case InputForm::detector:
      return "measurement";
    case InputForm::detector_and_masks:
      return "measurement, shifted masks";
  }
  return "?";
}

const std::vector<NetworkInfo>& other_networks() { return announced(); }

const NetworkInfo* find_network(std::string_view name) {
  const auto& all = announced();
  const auto found = std::ranges::find(all, name, &NetworkInfo::name);
  return found == all.end() ? nullptr : &*found;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names = cst_variant_names();
  for (const NetworkInfo& network : announced()) names.push_back(network.name);
  return names;
}

ModelConfig network_config(std::string_view name) {
  if (find_network(name)) {
    ModelConfig config;
    config.variant = name;
    config.wavelengths = published_wavelengths();
    return config;
  }
  const auto& variants = cst_variant_names();
  if (std::ranges::find(variants, name) != variants.end()) return cst_variant(name);
  throw InputError("model", "", fmt::format("one of {}", fmt::join(network_names(), ", ")), fmt::format("'{}'", name));
}

std::vector<NetworkTensor> network_tensors(const ModelConfig& config) {
  if (const NetworkInfo* network = find_network(config.variant)) {
    LayerList list;
    network->describe(list, config, kPublishedFrame);
    return list.tensors();
  }
  std::vector<NetworkTensor> tensors;
  for (ParameterShape& shape : cst_parameters(config)) {
    const auto kind = is_hash_tensor(shape.name) ? NetworkTensor::Kind::hash : NetworkTensor::Kind::trained;
    tensors.push_back({std::move(shape), kind});
  }
  return tensors;
}

std::vector<LayerCost> network_cost(const ModelConfig& config, int height, int width) {
  const NetworkInfo* network = find_network(config.variant);
  if (!network) return cst_cost(config, height, width);
  LayerList list;
  network->describe(list, config, {height, width});
  return list.layers();
}

}  // namespace snapcube
