#pragma once
// The ablations of the paper: its tables a to d and the points of its figure of parameters, as configurations.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/model_config.h"

namespace snapcube {

/// As the paper prints them.
struct PaperFigures {
  double psnr;
  double ssim;
  double parameters;  ///< millions
  double operations;  ///< thousand millions, as its counter counted
};

struct AblationRow {
  std::string name;   ///< "sah-msa": the same network goes by the same name in every table
  std::string title;  ///< as the table calls it
  ModelConfig config;
  std::optional<PaperFigures> paper = std::nullopt;
};

struct Ablation {
  std::string name;   ///< "breakdown"
  std::string title;  ///< in one line
  std::vector<AblationRow> rows;
};

/// breakdown, sparsity, attention, scope, parameters.
const std::vector<Ablation>& ablations();
/// Throws InputError, listing the names, when there is none.
const Ablation& find_ablation(std::string_view name);

/// One of σ, R, M and λ.
struct AblationParameter {
  std::string symbol;
  double (*value)(const ModelConfig& config);
};
const std::vector<AblationParameter>& ablation_parameters();
/// Whether a configuration differs from CST-M in none of them but, perhaps, this one.
bool varies_only(const ModelConfig& config, const AblationParameter& parameter);

/// What `snapcube train` is told to train it: all that differs from CST-M.
std::vector<std::string> train_options(const ModelConfig& config);

}  // namespace snapcube
