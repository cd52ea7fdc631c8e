#include "models/ablations.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>

namespace snapcube {

namespace {

constexpr const char* kStart = "cst-m";

AblationRow row(std::string name, std::string title, const std::function<void(ModelConfig&)>& change = {},
                std::optional<PaperFigures> paper = std::nullopt) {
  AblationRow result{std::move(name), std::move(title), cst_variant(kStart), paper};
  if (change) change(result.config);
  return result;
}

void keep_all(ModelConfig& c) {
  c.screening = Screening::none;
  c.sparsity = 0;
}

AblationRow baseline() {
  return row(
      "baseline", "Baseline",
      [](ModelConfig& c) {
        keep_all(c);
        c.attention = Attention::none;
        c.estimators = 0;
      },
      PaperFigures{32.57, 0.906, 0.51, 6.40});
}
/// SAH-MSA on every window.
AblationRow sah(const char* title) { return row("sah-msa", title, keep_all, PaperFigures{35.53, 0.948, 1.36, 24.60}); }
/// CST-M as it is.
AblationRow sasm(const char* title) { return row("sasm", title, {}, PaperFigures{35.31, 0.947, 1.36, 16.91}); }

Ablation sparsity() {
  const auto screened = [](const char* name, const char* title, Screening screening, const PaperFigures& paper) {
    return row(
        name, title, [screening](ModelConfig& c) { c.screening = screening; }, paper);
  };
  return {"sparsity",
          "which windows attention works on",
          {baseline(), screened("random", "Random sparsity", Screening::random, {34.37, 0.937, 1.36, 16.89}),
           screened("uniform", "Uniform sparsity", Screening::uniform, {34.33, 0.936, 1.36, 16.89}), sasm("SASM")}};
}

Ablation attention() {
  const auto other = [](const char* name, const char* title, Attention form, const PaperFigures& paper) {
    return row(
        name, title,
        [form](ModelConfig& c) {
          keep_all(c);
          c.attention = form;
          if (form == Attention::window || form == Attention::shifted) c.window = 8;
        },
        paper);
  };
  return {"attention",
          "which tokens attend to which",
          {baseline(), other("g-msa", "G-MSA", Attention::global, {35.04, 0.944, 1.85, 35.58}),
           other("w-msa", "W-MSA", Attention::window, {35.02, 0.943, 1.85, 24.98}),
           other("swin-msa", "Swin-MSA", Attention::shifted, {35.12, 0.945, 1.85, 24.98}),
           other("s-msa", "S-MSA", Attention::spectral, {35.21, 0.946, 1.66, 24.74}), sah("SAH-MSA")}};
}

Ablation scope() {
  const auto global = row(
      "global", "Global",
      [](ModelConfig& c) {
        keep_all(c);
        c.scope = Scope::global;
      },
      PaperFigures{35.33, 0.946, 1.36, 24.60});
  return {"scope", "where similar tokens are looked for", {baseline(), global, sah("Local")}};
}

/// CST-M, and each of its four parameters at other values. The figure's own points cannot be read off it but for R = 1
/// … 6 and what was chosen.
Ablation parameters() {
  std::vector<AblationRow> rows = {sasm("CST-M")};
  const auto add = [&](const char* symbol, const char* name, double value, const std::function<void(ModelConfig&)>& f) {
    rows.push_back(row(fmt::format("{}-{:g}", name, value), fmt::format("{} = {:g}", symbol, value), f));
  };
  for (const double v : {0.0, 0.25, 0.75}) add("σ", "sigma", v, [v](ModelConfig& c) { c.sparsity = v; });
  for (const int v : {1, 4, 6}) add("R", "rounds", v, [v](ModelConfig& c) { c.rounds = v; });
  for (const int v : {8, 32}) add("M", "window", v, [v](ModelConfig& c) { c.window = v; });
  for (const double v : {0.0, 1.0, 4.0}) add("λ", "lambda", v, [v](ModelConfig& c) { c.loss_weight = v; });
  return {"parameters", "σ, R, M and λ of CST-M", rows};
}

}  // namespace

const std::vector<Ablation>& ablations() {
  static const std::vector<Ablation> all = {
      {"breakdown", "what attention and screening are worth", {baseline(), sah("+ SAH-MSA"), sasm("+ SASM")}},
      sparsity(),
      attention(),
      scope(),
      parameters()};
  return all;
}

const Ablation& find_ablation(std::string_view name) {
  const auto found = std::ranges::find(ablations(), name, &Ablation::name);
  if (found != ablations().end()) return *found;
  std::vector<std::string> names;
  for (const Ablation& a : ablations()) names.push_back(a.name);
  throw InputError("ablation", "", fmt::format("one of {}", fmt::join(names, ", ")), fmt::format("'{}'", name));
}

const std::vector<AblationParameter>& ablation_parameters() {
  static const std::vector<AblationParameter> all = {
      {"σ", [](const ModelConfig& c) { return c.sparsity; }},
      {"R", [](const ModelConfig& c) { return static_cast<double>(c.rounds); }},
      {"M", [](const ModelConfig& c) { return static_cast<double>(c.window); }},
      {"λ", [](const ModelConfig& c) { return c.loss_weight; }},
  };
  return all;
}

bool varies_only(const ModelConfig& config, const AblationParameter& parameter) {
  const ModelConfig start = cst_variant(kStart);
  return std::ranges::all_of(ablation_parameters(), [&](const AblationParameter& p) {
    return p.symbol == parameter.symbol || p.value(config) == p.value(start);
  });
}

std::vector<std::string> train_options(const ModelConfig& config) {
  const auto start = to_json(cst_variant(kStart));
  const auto wanted = to_json(config);
  std::vector<std::string> options = {"--model", kStart};
  for (const auto& [key, value] : wanted.items()) {
    if (value == start[key]) continue;
    std::string option = "--" + key;
    std::ranges::replace(option, '_', '-');
    options.insert(options.end(), {option, value.is_string() ? value.get<std::string>() : value.dump()});
  }
  return options;
}

}  // namespace snapcube
