// snapcube methods: every way from a measurement to a cube that there is.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/options.h"
#include "models/networks.h"

namespace snapcube {

namespace {

constexpr int kSize = 256;

constexpr const char* kExamples = R"(Examples:
  snapcube methods
  snapcube methods --json
  snapcube reconstruct shot.mat --mask mask.mat --method gap-tv -o cube.mat

Solvers need only the camera. Networks also need weights: `snapcube models` lists the installed ones, and `snapcube train
--model NAME` makes new ones. Networks that run in libtorch are computed by snapcube-train, which `reconstruct` starts.)";

struct Row {
  std::string name;
  std::string title;
  std::string description;
  std::string kind;  ///< solver, network
  std::string runs;  ///< engine, libtorch
  std::optional<LayerCost> cost = std::nullopt;
  /// Installed models of this network; none needed: empty.
  std::vector<std::string> weights = {};
  bool needs_weights = false;
};

Row network_row(const ModelConfig& config, const std::vector<ModelInfo>& models) {
  Row row;
  const NetworkInfo* other = find_network(config.variant);
  row.name = config.variant;
  row.title = network_title(config.variant);
  row.description = "coarse-to-fine sparse Transformer";
  row.kind = "network";
  row.runs = "engine";
  row.needs_weights = true;
  if (other) {
    row.description = other->description;
    row.runs = other->in_engine ? "engine" : "libtorch";
    row.needs_weights = !other->self_supervised;
  }
  row.cost = total(network_cost(config, kSize, kSize));
  for (const ModelInfo& model : models) {
    if (model.network == config.variant && model.error.empty()) row.weights.push_back(model.name);
  }
  return row;
}

std::vector<Row> rows() {
  std::vector<Row> list;
  for (const MethodInfo& m : methods()) {
    Row row;
    row.name = m.name;
    row.title = m.title;
    row.description = m.description;
    row.kind = "solver";
    row.runs = "engine";
    list.push_back(row);
  }
  const std::vector<ModelInfo> models = installed_models();
  for (const NetworkInfo& network : other_networks()) list.push_back(network_row(network_config(network.name), models));
  for (const std::string& name : cst_variant_names()) list.push_back(network_row(cst_variant(name), models));
  return list;
}

std::string weights_text(const Row& row) {
  if (!row.needs_weights) return "needs none";
  return row.weights.empty() ? "not installed" : fmt::format("{}", fmt::join(row.weights, ", "));
}

void print_json(const std::vector<Row>& list) {
  auto array = nlohmann::ordered_json::array();
  for (const Row& row : list) {
    nlohmann::ordered_json entry = {{"name", row.name},
                                    {"title", row.title},
                                    {"kind", row.kind},
                                    {"runs_in", row.runs},
                                    {"needs_weights", row.needs_weights},
                                    {"models", row.weights}};
    if (row.cost) {
      entry["parameters"] = row.cost->parameters;
      entry["multiply_adds"] = row.cost->multiply_adds;
    }
    entry["description"] = row.description;
    array.push_back(entry);
  }
  fmt::print("{}\n", array.dump(2));
}

void run(bool json) {
  const std::vector<Row> list = rows();
  if (json) return print_json(list);
  fmt::print("{:<12}{:<10}{:>10}{:>10}  {:<10}{:<15}{}\n", "name", "kind", "M param.", "G mult.", "runs in", "weights",
             "what it is");
  for (const Row& row : list) {
    fmt::print("{:<12}{:<10}{:>10}{:>10}  {:<10}{:<15}{}\n", row.name, row.kind,
               row.cost ? fmt::format("{:.2f}", static_cast<double>(row.cost->parameters) / 1e6) : "–",
               row.cost ? fmt::format("{:.2f}", row.cost->multiply_adds / 1e9) : "–", row.runs, weights_text(row),
               row.description);
  }
  fmt::print("\nParameters in millions; billions of multiply-adds for a frame of {0}×{0} with 28 bands.\n", kSize);
}

}  // namespace

void add_methods(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* sub = program.add_subcommand("methods", "list all methods, with their cost and whether they can run here");
  sub->add_flag("--json", *json, "print a JSON array");
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([json] { run(*json); });
}

}  // namespace snapcube
