#pragma once
// The configuration of published weights, which carry none: what names and shapes tell, the rest as published or given.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/cst_config.h"
#include "models/cst_parameters.h"

namespace snapcube {

/// What is to be taken otherwise than published (or than the file says), by the keys of the configuration: sparsity,
/// rounds, window, bucket, step, scale, wavelengths, screening, scope, hash_floor, scale_logits.
using ModelSettings = std::map<std::string, std::string>;

/// Throws InputError for an unknown key, for one that the tensors determine, and for a value that does not fit.
void apply_settings(CstConfig& config, const ModelSettings& settings, const std::string& source);

struct InferredConfig {
  CstConfig config;
  std::vector<std::string> notes;  ///< what was inferred and what assumed, one sentence each
};

/// Throws InputError when these are not the tensors of a CST network.
InferredConfig infer_cst_config(std::span<const ParameterShape> tensors, const ModelSettings& settings,
                                const std::string& source);

}  // namespace snapcube
