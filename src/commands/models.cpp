// snapcube models: which trained networks are installed.

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/feedback_check.h"
#include "commands/options.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube models
  SNAPCUBE_MODELS=~/my-models snapcube models --json
  snapcube models --check-feedback my.safetensors --scenes held-out/ --mask mask.mat

Models are files NAME.safetensors, in the folder named by SNAPCUBE_MODELS and in share/snapcube/models of the installation.
`snapcube reconstruct --model NAME` uses one; `snapcube train` makes them.)";

void print_json(const std::vector<ModelInfo>& models) {
  auto list = nlohmann::ordered_json::array();
  for (const ModelInfo& m : models) {
    nlohmann::ordered_json entry = {{"name", m.name}, {"path", m.path}, {"bytes", m.bytes}};
    if (m.error.empty()) {
      entry.update({{"network", m.network}, {"bands", m.bands}, {"step", m.step}, {"parameters", m.parameters}});
    } else {
      entry["error"] = m.error;
    }
    list.push_back(entry);
  }
  fmt::print("{}\n", list.dump(2));
}

void run(bool json) {
  const std::vector<ModelInfo> models = installed_models();
  if (json) return print_json(models);
  if (models.empty()) {
    fmt::print("No models are installed. `snapcube models --help` tells where they are looked for.\n");
    return;
  }
  fmt::print("{:<16}{:<12}{:>6}{:>6}{:>12}{:>10}  {}\n", "name", "network", "bands", "step", "parameters", "MB",
             "file");
  for (const ModelInfo& m : models) {
    if (!m.error.empty()) {
      fmt::print("{:<16}cannot be used: {}\n", m.name, m.error);
      continue;
    }
    fmt::print("{:<16}{:<12}{:>6}{:>6}{:>12}{:>10.1f}  {}\n", m.name, m.network, m.bands, m.step, m.parameters,
               static_cast<double>(m.bytes) / 1e6, m.path);
  }
}

}  // namespace

void add_models(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  auto check = std::make_shared<FeedbackCheck>();
  CLI::App* sub = program.add_subcommand("models", "list the trained networks that are installed");
  sub->add_flag("--json", *json, "print a JSON array");
  CLI::Option* model = sub->add_option("--check-feedback", check->model,
                                       "measure whether passes on what is not explained help this weights file, and "
                                       "note the answer in it");
  sub->add_option("--scenes", check->scenes, "scenes that it was not trained on: files, or folders")->needs(model);
  sub->add_option("--mask", check->mask, "the coded aperture; scenes are cropped to the size of its middle")
      ->needs(model);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([json, check] { check->model.empty() ? run(*json) : check->run(*json); });
}

}  // namespace snapcube
