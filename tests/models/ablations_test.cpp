// The rows of the paper's ablations: configurations and counts.

#include "models/ablations.h"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

#include <snapcube/error.h>

#include "models/cst_cost.h"
#include "support.h"

namespace snapcube {
namespace {

LayerCost cost(const AblationRow& row) { return total(cst_cost(row.config, 256, 256)); }
std::string millions(const AblationRow& row) {
  return fmt::format("{:.2f}", static_cast<double>(cost(row).parameters) / 1e6);
}
std::string billions(const AblationRow& row) { return fmt::format("{:.2f}", cost(row).counted_by_paper / 1e9); }

const AblationRow& row(const char* table, const std::string& name) {
  for (const AblationRow& r : find_ablation(table).rows) {
    if (r.name == name) return r;
  }
  throw std::logic_error(name);
}

TEST(Ablations, CountsOfBaselineHashingAndScreeningAreThePapers) {
  // Tables a, b and d of the paper, and the two ends of table c.
  const struct {
    const char* table;
    const char* name;
    const char* parameters;
    const char* operations;
  } published[] = {{"breakdown", "baseline", "0.51", "6.40"}, {"breakdown", "sah-msa", "1.36", "24.60"},
                   {"breakdown", "sasm", "1.36", "16.91"},    {"sparsity", "baseline", "0.51", "6.40"},
                   {"sparsity", "random", "1.36", "16.89"},   {"sparsity", "uniform", "1.36", "16.89"},
                   {"sparsity", "sasm", "1.36", "16.91"},     {"attention", "baseline", "0.51", "6.40"},
                   {"attention", "sah-msa", "1.36", "24.60"}, {"scope", "baseline", "0.51", "6.40"},
                   {"scope", "global", "1.36", "24.60"},      {"scope", "sah-msa", "1.36", "24.60"}};
  for (const auto& p : published) {
    EXPECT_EQ(millions(row(p.table, p.name)), p.parameters) << p.name;
    EXPECT_EQ(billions(row(p.table, p.name)), p.operations) << p.name;
  }
}

TEST(Ablations, CountsOfTheOtherAttentionsComeClose) {
  EXPECT_EQ(millions(row("attention", "g-msa")), "1.85");
  EXPECT_EQ(millions(row("attention", "w-msa")), "1.85");
  EXPECT_EQ(millions(row("attention", "swin-msa")), "1.85");
  EXPECT_EQ(millions(row("attention", "s-msa")), "1.66");
  EXPECT_EQ(billions(row("attention", "w-msa")), "24.98");
  EXPECT_EQ(billions(row("attention", "swin-msa")), "24.98");
  EXPECT_EQ(billions(row("attention", "g-msa")), "35.56");  // the paper: 35.58
  EXPECT_EQ(billions(row("attention", "s-msa")), "24.87");  // the paper: 24.74
}

TEST(Ablations, WhatThePaperPrintsIsBeside) {
  for (const Ablation& table : ablations()) {
    for (const AblationRow& r : table.rows) {
      if (!r.paper) continue;
      EXPECT_EQ(millions(r), fmt::format("{:.2f}", r.paper->parameters)) << r.name;
      EXPECT_NEAR(cost(r).counted_by_paper / 1e9, r.paper->operations, 0.006 * r.paper->operations) << r.name;
    }
  }
}

TEST(Ablations, TheSameNameIsTheSameNetwork) {
  std::map<std::string, ModelConfig> seen;
  std::set<std::string> titles;
  for (const Ablation& table : ablations()) {
    titles.clear();
    for (const AblationRow& r : table.rows) {
      EXPECT_NO_THROW(check(r.config, r.name));
      const auto [at, fresh] = seen.emplace(r.name, r.config);
      EXPECT_EQ(at->second, r.config) << r.name;
      EXPECT_TRUE(titles.insert(r.title).second) << r.title;
    }
  }
  for (auto a = seen.begin(); a != seen.end(); ++a) {
    for (auto b = std::next(a); b != seen.end(); ++b) EXPECT_NE(a->second, b->second) << a->first << " " << b->first;
  }
  EXPECT_EQ(testing::error_of<InputError>([] { find_ablation("x"); }),
            "ablation: expected one of breakdown, sparsity, attention, scope, parameters, found 'x'");
}

TEST(Ablations, OptionsSayWhatDiffersFromCstM) {
  using Options = std::vector<std::string>;
  EXPECT_EQ(train_options(row("breakdown", "sasm").config), (Options{"--model", "cst-m"}));
  EXPECT_EQ(train_options(row("breakdown", "baseline").config),
            (Options{"--model", "cst-m", "--estimators", "0", "--screening", "none", "--sparsity", "0.0", "--attention",
                     "none"}));
  EXPECT_EQ(train_options(row("parameters", "lambda-4").config), (Options{"--model", "cst-m", "--loss-weight", "4.0"}));
  EXPECT_EQ(train_options(row("attention", "swin-msa").config),
            (Options{"--model", "cst-m", "--screening", "none", "--sparsity", "0.0", "--window", "8", "--attention",
                     "shifted"}));
}

TEST(Ablations, EveryParameterHasItsPoints) {
  std::vector<std::size_t> counts;
  for (const AblationParameter& parameter : ablation_parameters()) {
    std::set<double> values;
    for (const AblationRow& r : find_ablation("parameters").rows) {
      if (varies_only(r.config, parameter)) values.insert(parameter.value(r.config));
    }
    EXPECT_TRUE(values.contains(parameter.value(cst_variant("cst-m")))) << parameter.symbol;
    counts.push_back(values.size());
  }
  EXPECT_EQ(counts, (std::vector<std::size_t>{4, 4, 3, 4}));
}

TEST(Ablations, OtherAttentionsDoNotScreen) {
  ModelConfig config = row("attention", "g-msa").config;
  config.screening = Screening::estimator;
  EXPECT_EQ(testing::error_of<InputError>([&] { check(config, "c"); }),
            "c: screening: expected 'none', because attention 'global' works on every window, found estimator");
}

}  // namespace
}  // namespace snapcube
