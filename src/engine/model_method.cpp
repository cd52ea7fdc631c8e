#include "engine/model_method.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "engine/cst_method.h"
#include "engine/installed_models.h"
#include "engine/mst_method.h"
#include "engine/outside.h"
#include "models/mst_form.h"
#include "models/networks.h"

namespace snapcube::engine {

namespace {

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
  return open_model_outside(std::move(weights), path);
}

bool is_path(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(kModelExtension) || name.ends_with(".pth") ||
         name.ends_with(".pt");
}

}  // namespace

bool is_model(std::string_view name) {
  std::vector<std::string> tried;
  const std::vector<std::string> networks = network_names();
  return is_path(name) || std::ranges::find(networks, name) != networks.end() || find_model(name, tried);
}

std::unique_ptr<Reconstructor::Method> open_model(std::string_view name, std::uint64_t max_bytes) {
  if (is_path(name)) return open_weights(std::string(name), max_bytes);
  std::vector<std::string> tried;
  const auto found = find_model(name, tried);
  if (found) return open_weights(*found, max_bytes);
  throw InputError(fmt::format(
      "model '{}': there is no weights file {}; set SNAPCUBE_MODELS to a folder of models, or give a file's "
      "path",
      name, fmt::join(tried, " nor ")));
}

}  // namespace snapcube::engine
