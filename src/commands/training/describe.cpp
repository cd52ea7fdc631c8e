#include "commands/training/describe.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/networks.h"

namespace snapcube {

namespace {

/// 1197476 → "1,197,476".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(text.begin() + at, 1, ',');
  }
  return text;
}

std::string row(std::size_t width, const LayerCost& layer, int decimals) {
  return fmt::format("{:<{}}  {:>11}  {:>10.{}f}  {:>10.{}f}\n", layer.name, width, grouped(layer.parameters),
                     layer.multiply_adds / 1e9, decimals, layer.counted_by_paper / 1e9, decimals);
}

std::string heading(const ModelConfig& config) {
  if (const NetworkInfo* network = find_network(config.variant)) {
    return fmt::format("{}: {}; {} bands; takes {}; loss: {}", network->title, network->description, config.bands,
                       text(network->input), network->schedule.loss);
  }
  return fmt::format(
      "{}: {} bands, {}+{}+{} blocks at full, half and quarter resolution, σ {}, {} rounds, windows of {}×{}, buckets "
      "of {}",
      config.variant, config.bands, config.blocks[0], config.blocks[1], config.blocks[2], config.sparsity,
      config.rounds, config.window, config.window, config.bucket);
}

}  // namespace

std::string describe_text(const ModelConfig& config, int height, int width) {
  const auto layers = network_cost(config, height, width);
  std::size_t widest = 5;
  for (const LayerCost& layer : layers) widest = std::max(widest, layer.name.size());
  LayerCost sum = total(layers);
  sum.name = "total";
  std::string text = heading(config) + "\n\n";
  text += fmt::format("{:<{}}  {:>11}  {:>10}  {:>10}\n", "layer", widest, "parameters", "plain", "paper");
  for (const LayerCost& layer : layers) text += row(widest, layer, 4);
  text += row(widest, sum, 2);
  text += fmt::format(
      "\nBillions of multiply-adds for a frame of {}×{}. plain: convolutions, linear layers and matrix products.\n"
      "paper: as the published table was counted (normalisations and a broadcast added, transposed convolutions more "
      "than once).\n",
      height, width);
  return text;
}

std::string describe_json(const ModelConfig& config, int height, int width) {
  const auto layers = network_cost(config, height, width);
  const LayerCost sum = total(layers);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const LayerCost& layer : layers) {
    list.push_back({{"name", layer.name},
                    {"parameters", layer.parameters},
                    {"multiply_adds", layer.multiply_adds},
                    {"counted_by_paper", layer.counted_by_paper}});
  }
  const nlohmann::ordered_json json = {{"config", to_json(config)},
                                       {"height", height},
                                       {"width", width},
                                       {"parameters", sum.parameters},
                                       {"multiply_adds", sum.multiply_adds},
                                       {"counted_by_paper", sum.counted_by_paper},
                                       {"layers", std::move(list)}};
  return json.dump(2) + "\n";
}

}  // namespace snapcube
