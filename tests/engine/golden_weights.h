#pragma once
// Golden weights for the engine, and golden arrays.

#include <cstring>

#include "golden.h"
#include "io/format.h"
#include "models/networks.h"
#include "models/weights.h"
#include "support.h"

namespace snapcube::testing {

/// Every tensor of a configuration, filled by the formula of its name.
inline Weights golden_weights(const ModelConfig& config) {
  Weights weights;
  weights.config = config;
  for (const NetworkTensor& described : network_tensors(config)) {
    const auto& [name, shape] = described.shape;
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    NamedTensor tensor{name, shape, FloatBuffer(count)};
    fill_golden(name, shape.data(), shape.size(), tensor.values.data());
    weights.tensors[name] = std::move(tensor);
  }
  return weights;
}

/// Those of one module, under the names they have there: "m.to_q.weight" for `prefix` + "to_q.weight".
inline Weights golden_module(const ModelConfig& config, const std::string& prefix) {
  Weights weights;
  weights.config = config;
  for (const auto& [name, shape] : cst_parameters(config)) {
    if (!name.starts_with(prefix)) continue;
    const std::string own = "m." + name.substr(prefix.size());
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    NamedTensor tensor{own, shape, FloatBuffer(count)};
    fill_golden(own, shape.data(), shape.size(), tensor.values.data());
    weights.tensors[own] = std::move(tensor);
  }
  return weights;
}

struct GoldenArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;

  float operator()(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * shape[1] + j)]; }
  float operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    return values[static_cast<std::size_t>((i * shape[1] + j) * shape[2] + k)];
  }
};

inline GoldenArray golden_array(const std::string& file, const std::string& name) {
  const io::StoredArray array = io::npz_format().load(data_file("golden/" + file + ".npz"), name, {});
  GoldenArray result{array.shape, std::vector<float>(array.bytes.size() / sizeof(float))};
  std::memcpy(result.values.data(), array.bytes.data(), array.bytes.size());
  return result;
}

}  // namespace snapcube::testing
