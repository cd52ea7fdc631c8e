#include "models/weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <utility>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/random.h"
#include "base/text.h"
#include "io/half.h"
#include "io/input_file.h"
#include "io/safetensors.h"
#include "models/networks.h"

namespace snapcube {

namespace {

constexpr const char* kConfigKey = "snapcube";
/// Far more than a configuration takes; a hostile one does not get to make the parser work.
constexpr std::size_t kMaxConfigText = 1 << 16;
constexpr std::size_t kNamesInMessages = 10;

std::uint64_t elements(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::uint64_t>(extent);
  return count;
}

ModelConfig config_of(const Safetensors& content, const std::string& source) {
  const auto entry = content.metadata.find(kConfigKey);
  if (entry == content.metadata.end()) {
    throw InputError(source, "", fmt::format("a Snapcube weights file (metadata key '{}')", kConfigKey),
                     "a safetensors file without that key");
  }
  const std::string field = fmt::format("metadata '{}'", kConfigKey);
  if (entry->second.size() > kMaxConfigText) {
    throw InputError(source, field, fmt::format("at most {} bytes", kMaxConfigText),
                     std::to_string(entry->second.size()));
  }
  // The parser takes a zero byte for the end; behind it anything could stand.
  if (entry->second.find('\0') != std::string::npos) throw InputError(source, field, "JSON", "a zero byte");
  std::set<std::string> keys;
  const auto strict = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (depth > 2) throw InputError(source, field, "a flat JSON object", "a nested one");
    if (event == nlohmann::json::parse_event_t::key && !keys.insert(parsed.get<std::string>()).second) {
      throw InputError(source, field, "every key once", quoted_name(parsed.get<std::string>()) + " twice");
    }
    return true;
  };
  try {
    return model_config_from_json(nlohmann::json::parse(entry->second, strict), source);
  } catch (const nlohmann::json::exception&) {
    throw InputError(source, field, "JSON", quoted_name(entry->second));
  }
}

/// A stream of its own for every tensor: FNV-1a of the name.
std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xCBF29CE484222325ull;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return hash;
}

std::vector<std::uint16_t> halves_of(const NamedTensor& tensor, const std::string& path) {
  std::vector<std::uint16_t> halves;
  halves.reserve(tensor.values.size());
  for (const float value : tensor.values) {
    halves.push_back(half_from_float(value));
    if (!std::isfinite(float_from_half(halves.back()))) {
      throw Error(fmt::format("{}: cannot write in half precision: tensor {} has the value {}, above 65504", path,
                              quoted_name(tensor.name), value));
    }
  }
  return halves;
}

}  // namespace

bool has_config(const Safetensors& content) { return content.metadata.contains(kConfigKey); }

void check_size(const Safetensors& content, const std::string& source, std::uint64_t max_bytes) {
  std::uint64_t floats = 0;
  for (const TensorView& tensor : content.tensors) floats += tensor.bytes.size() / tensor_element_size(tensor.type);
  if (floats > max_bytes / sizeof(float)) {
    throw InputError(source, "", fmt::format("at most {} bytes (the limit for reading)", max_bytes),
                     fmt::format("{} values of {} bytes", floats, sizeof(float)));
  }
}

Weights parse_weights(std::span<const std::byte> file, const std::string& source, std::uint64_t max_bytes) {
  const Safetensors content = parse_safetensors(file, source);
  Weights weights;
  weights.config = config_of(content, source);
  check_size(content, source, max_bytes);
  for (const TensorView& tensor : content.tensors) {
    weights.tensors[tensor.name] = {tensor.name, tensor.shape, floats_of(tensor, source)};
  }
  check_weights(weights, source);
  return weights;
}

Weights read_weights(const std::string& path, std::uint64_t max_bytes) {
  return parse_weights(InputFile(path).rest(0, max_bytes), path, max_bytes);
}

void write_weights(const Weights& weights, const std::string& path, bool half_precision) {
  check_weights(weights, path);
  Safetensors content;
  content.metadata[kConfigKey] = to_json(weights.config).dump();
  std::vector<std::vector<std::uint16_t>> halves;  // vectors keep their elements' place when they are moved
  for (const auto& [name, tensor] : weights.tensors) {
    TensorView view{name, TensorType::f32, tensor.shape, std::as_bytes(std::span(tensor.values))};
    if (half_precision && !is_hash_tensor(name)) {
      halves.push_back(halves_of(tensor, path));
      view.type = TensorType::f16;
      view.bytes = std::as_bytes(std::span(halves.back()));
    }
    content.tensors.push_back(std::move(view));
  }
  const std::vector<std::byte> bytes = safetensors_file(std::move(content));
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

void rewrite_config(const std::string& path, const ModelConfig& config, std::uint64_t max_bytes) {
  check(config, path);
  const std::vector<std::byte> before = InputFile(path).rest(0, max_bytes);
  Safetensors content = parse_safetensors(before, path);
  static_cast<void>(config_of(content, path));  // refuses files of others
  content.metadata[kConfigKey] = to_json(config).dump();
  const std::vector<std::byte> after = safetensors_file(std::move(content));
  AtomicFile file(path);
  file.write(after.data(), after.size());
  file.commit();
}

void check_shapes(const ModelConfig& config, std::span<const ParameterShape> found, const std::string& source,
                  bool published) {
  std::map<std::string_view, const ParameterShape*> by_name;
  for (const ParameterShape& tensor : found) by_name[tensor.name] = &tensor;
  std::vector<std::string> missing;
  std::vector<std::string> misshaped;
  const std::vector<NetworkTensor> expected = network_tensors(config);
  for (const NetworkTensor& one : expected) {
    const auto& [name, shape] = one.shape;
    const bool ours_to_add = one.kind == NetworkTensor::Kind::constant || one.kind == NetworkTensor::Kind::hash;
    if (one.kind == NetworkTensor::Kind::constant && !published) continue;
    const auto tensor = by_name.find(name);
    if (tensor == by_name.end()) {
      if (!published || !ours_to_add) missing.push_back(name);
      continue;
    }
    if (tensor->second->shape != shape) {
      misshaped.push_back(
          fmt::format("{} ({} instead of {})", name, shape_text(tensor->second->shape), shape_text(shape)));
    }
    by_name.erase(tensor);
  }
  std::vector<std::string> unexpected;
  for (const auto& [name, tensor] : by_name) unexpected.push_back(quoted_name(name));
  std::vector<std::string> complaints;
  const auto complain = [&](const char* what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    const auto shown = std::span(names).first(std::min(names.size(), kNamesInMessages));
    complaints.push_back(fmt::format("{} {}: {}{}", names.size(), what, fmt::join(shown, ", "),
                                     shown.size() < names.size() ? ", …" : ""));
  };
  complain("missing", missing);
  complain("unexpected", unexpected);
  complain("of another shape", misshaped);
  if (!complaints.empty()) {
    throw InputError(source, "tensors", fmt::format("the {} of its configuration", expected.size()),
                     fmt::format("{}", fmt::join(complaints, "; ")));
  }
}

void check_weights(const Weights& weights, const std::string& source) {
  std::vector<ParameterShape> found;
  for (const auto& [name, tensor] : weights.tensors) {
    if (tensor.values.size() != elements(tensor.shape)) {
      throw std::logic_error(
          fmt::format("tensor {}: {} values for {}", name, tensor.values.size(), shape_text(tensor.shape)));
    }
    found.push_back({name, tensor.shape});
  }
  check_shapes(weights.config, found, source);
  for (const auto& [name, tensor] : weights.tensors) {
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      if (std::isfinite(tensor.values[i])) continue;
      throw InputError(source, fmt::format("tensor '{}'", name), "finite values",
                       fmt::format("{} at element {}", std::isnan(tensor.values[i]) ? "NaN" : "infinity", i));
    }
  }
}

void drop_constants(const ModelConfig& config, std::vector<NamedTensor>& tensors, const std::string& source) {
  for (const NetworkTensor& one : network_tensors(config)) {
    if (one.kind != NetworkTensor::Kind::constant) continue;
    const auto found = std::ranges::find(tensors, one.shape.name, &NamedTensor::name);
    if (found == tensors.end()) continue;
    for (std::size_t i = 0; i < one.values.size(); ++i) {
      if (std::abs(found->values[i] - one.values[i]) <= 1e-4f * std::max(1.0f, std::abs(one.values[i]))) continue;
      throw InputError(source, fmt::format("tensor '{}'", one.shape.name), fmt::format("{}, a constant", one.values[i]),
                       fmt::format("{} at element {}", found->values[i], i));
    }
    tensors.erase(found);
  }
}

void draw_hash_vectors(Weights& weights, std::uint64_t seed) {
  if (find_network(weights.config.variant)) return;
  for (const auto& [name, shape] : cst_parameters(weights.config)) {
    if (!is_hash_tensor(name) || weights.tensors.contains(name)) continue;
    const bool is_alpha = name.ends_with("alpha");
    Random random(seed, stream_of(name));
    FloatBuffer values(elements(shape));
    for (float& v : values) v = static_cast<float>(is_alpha ? random.normal() : random.uniform());
    weights.tensors[name] = {name, shape, std::move(values)};
  }
}

}  // namespace snapcube
