#include "engine/random_weights.h"

#include <cmath>

#include "base/random.h"
#include "models/networks.h"
#include "models/prism_form.h"

namespace snapcube::engine {

namespace {

/// A stream of its own for every tensor: FNV-1a of the name.
std::uint64_t stream_of(const std::string& name) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

}  // namespace

Weights random_weights(const ModelConfig& config, std::uint64_t seed) {
  Weights weights;
  weights.config = config;
  for (const NetworkTensor& described : network_tensors(config)) {
    const auto& [name, shape] = described.shape;
    if (described.kind == NetworkTensor::Kind::hash || described.kind == NetworkTensor::Kind::constant) continue;
    std::size_t count = 1;
    for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
    NamedTensor tensor{name, shape, FloatBuffer(count)};
    const bool of_step = name.ends_with(".eta") || name.ends_with(".mu");
    if (of_step && find_prism_form(config.variant)) {  // as they start
      tensor.values[0] = static_cast<float>(name.ends_with(".eta") ? kPrismEta : std::log(kPrismMu));
    } else if (shape.size() == 1) {  // γ of a normalisation, or a variance; β, means and biases
      const bool factor = name.ends_with(".weight") || name.ends_with(".running_var");
      std::fill(tensor.values.begin(), tensor.values.end(), factor ? 1.0f : 0.0f);
    } else {
      const double fan_in = static_cast<double>(count) / static_cast<double>(shape[0]);
      Random random(seed, stream_of(name));
      for (float& v : tensor.values) v = static_cast<float>(random.uniform(-1, 1) * std::sqrt(3 / fan_in));
    }
    weights.tensors[name] = std::move(tensor);
  }
  draw_hash_vectors(weights, seed);
  return weights;
}

}  // namespace snapcube::engine
