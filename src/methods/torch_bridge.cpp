#include "methods/torch_bridge.h"

#include <fmt/format.h>
#include <utility>

#include "models/networks.h"

namespace snapcube {

namespace {

TorchBridge& lent() {
  static TorchBridge runner;
  return runner;
}

}  // namespace

NeedsLibtorch::NeedsLibtorch(const std::string& what, const std::string& title)
    : InputError(fmt::format("{}: {} runs only in snapcube-train", what, title)), title_(title) {}

void set_torch_bridge(TorchBridge runner) { lent() = std::move(runner); }

std::unique_ptr<Reconstructor::Method> open_model_with_torch(Weights weights, const std::string& source) {
  const ModelConfig& config = weights.config;
  if (!lent().open_model) {
    const std::string title = network_title(config.variant);
    throw NeedsLibtorch(source, config.has_other_attention()
                                    ? fmt::format("{} with attention '{}'", title, text(config.attention))
                                    : title);
  }
  return lent().open_model(std::move(weights));
}

std::unique_ptr<Reconstructor::Method> open_method_with_torch(std::string_view name) {
  const NetworkInfo* network = find_network(name);
  if (!network || !network->self_supervised) return nullptr;
  if (!lent().open_method) throw NeedsLibtorch(std::string(name), network->title);
  return lent().open_method(name);
}

}  // namespace snapcube
