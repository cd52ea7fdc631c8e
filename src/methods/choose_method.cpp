#include "methods/choose_method.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "methods/installed_models.h"
#include "methods/network_method.h"
#include "methods/torch_bridge.h"
#include "models/any_weights.h"
#include "models/mst_form.h"
#include "models/networks.h"
#include "models/prism_form.h"

namespace snapcube {

namespace {

constexpr std::array kSolvers = {make_gap_tv, make_twist, make_desci};

/// Tells what a file of others does not say and was inferred or taken as published.
Weights load_weights(const std::string& path, std::uint64_t max_bytes) {
  LoadedWeights loaded = read_any_weights(path, {.max_bytes = max_bytes});
  if (!loaded.notes.empty()) log_info(fmt::format("{}: {}", path, loaded.format));
  for (const std::string& note : loaded.notes) log_info("  " + note);
  return std::move(loaded.weights);
}

std::unique_ptr<Reconstructor::Method> open_weights(const std::string& path, std::uint64_t max_bytes) {
  Weights weights = load_weights(path, max_bytes);
  const NetworkInfo* other = find_network(weights.config.variant);
  if (!other && !weights.config.has_other_attention()) return make_cst_method(weights);
  if (other && find_mst_form(other->name)) return make_mst_method(weights);
  if (other && find_prism_form(other->name)) return make_prism_method(weights);
  return open_model_with_torch(std::move(weights), path);
}

bool is_path(std::string_view name) { return name.find('/') != std::string_view::npos || has_weights_extension(name); }

/// Where a model's weights are. Throws InputError naming the places that were tried.
std::string weights_file(std::string_view model) {
  if (is_path(model)) return std::string(model);
  std::vector<std::string> tried;
  if (const auto found = find_model(model, tried)) return *found;
  throw InputError(fmt::format(
      "model '{}': there is no weights file {}; set SNAPCUBE_MODELS to a folder of models, or give a file's "
      "path",
      model, fmt::join(tried, " nor ")));
}

}  // namespace

const std::vector<MethodInfo>& methods() {
  static const std::vector<MethodInfo> all = [] {
    std::vector<MethodInfo> list;
    for (const auto make : kSolvers) list.push_back(make()->info());
    return list;
  }();
  return all;
}

std::unique_ptr<Reconstructor::Method> open_method(std::string_view name, const Reconstructor::Settings& settings) {
  std::vector<std::string> known;
  for (const auto make : kSolvers) {
    auto candidate = make();
    known.push_back(candidate->info().name);
    if (known.back() != name) continue;
    candidate->configure(settings);
    return candidate;
  }
  if (auto method = open_method_with_torch(name)) {
    method->configure(settings);
    return method;
  }
  if (is_model(name)) return open_model(name, settings);
  throw InputError(fmt::format("method '{}': not known; the methods are {}, and models (a name or a file)", name,
                               fmt::join(known, ", ")));
}

std::unique_ptr<Reconstructor::Method> open_model(std::string_view name, const Reconstructor::Settings& settings) {
  auto method = open_weights(weights_file(name), most_weights(settings));
  method->configure(settings);
  return method;
}

bool is_model(std::string_view name) {
  std::vector<std::string> tried;
  const std::vector<std::string> networks = network_names();
  return is_path(name) || std::ranges::find(networks, name) != networks.end() || find_model(name, tried);
}

}  // namespace snapcube
