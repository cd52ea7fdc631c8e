#pragma once
// The configuration of published weights, which carry none: what names and shapes tell, the rest as published or given.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "models/layer_list.h"
#include "models/model_config.h"

namespace snapcube {

/// What is to be taken otherwise than published (or than the file says), by the keys of the configuration: sparsity,
/// rounds, window, bucket, step, scale, wavelengths, screening, scope, hash_floor, scale_logits.
using ModelSettings = std::map<std::string, std::string>;

/// Throws InputError for an unknown key, for one that the tensors determine, and for a value that does not fit.
void apply_settings(ModelConfig& config, const ModelSettings& settings, const std::string& source);

struct InferredConfig {
  ModelConfig config;
  std::vector<std::string> notes;  ///< what was inferred and what assumed, one sentence each
};

/// Throws InputError when these are not the tensors of a network that is known.
InferredConfig infer_config(std::span<const ParameterShape> tensors, const ModelSettings& settings,
                            const std::string& source);

}  // namespace snapcube
