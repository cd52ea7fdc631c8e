#include "models/inference.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/text.h"
#include "io/safetensors.h"
#include "models/networks.h"
#include "models/weights.h"
#include "optics/wavelength_text.h"

namespace snapcube {

namespace {

/// What names and shapes do not tell.
constexpr std::array<std::string_view, 12> kSettable = {"sparsity", "rounds",     "window",       "bucket",
                                                        "step",     "scale",      "wavelengths",  "screening",
                                                        "scope",    "hash_floor", "scale_logits", "loss_weight"};
constexpr int kMostBlocks = 1000;

nlohmann::json json_of(const std::string& key, const std::string& text) {
  if (key == "wavelengths") return parse_wavelengths(text, key);
  if (text == "true" || text == "false") return text == "true";
  if (const auto integer = parse_int(text)) return *integer;
  if (const auto number = parse_double(text)) return *number;
  return text;
}

class Tensors {
 public:
  explicit Tensors(std::span<const ParameterShape> all) : all_(all) {}

  const std::vector<std::int64_t>* shape(std::string_view name) const {
    const auto found = std::ranges::find(all_, name, &ParameterShape::name);
    return found == all_.end() ? nullptr : &found->shape;
  }
  bool any(std::string_view end) const {
    return std::ranges::any_of(all_, [&](const auto& p) { return p.name.ends_with(end); });
  }
  /// One more than the largest j of "<group>.blocks.<j>.".
  int blocks(std::string_view group) const {
    const std::string start = fmt::format("{}.blocks.", group);
    int most = 0;
    for (const ParameterShape& p : all_) {
      if (!p.name.starts_with(start)) continue;
      const std::string_view rest = std::string_view(p.name).substr(start.size());
      const auto j = parse_int(rest.substr(0, rest.find('.')));
      if (j && *j >= 0 && *j < kMostBlocks) most = std::max(most, static_cast<int>(*j) + 1);
    }
    return most;
  }
  std::string names() const {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> names;
    for (const ParameterShape& p : all_.first(std::min(all_.size(), kShown))) names.push_back(quoted_name(p.name));
    return fmt::format("{}{}", fmt::join(names, ", "), all_.size() > kShown ? ", …" : "");
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::span<const ParameterShape> all_;
};

std::string variant_of(const ModelConfig& config) {
  for (const std::string& name : cst_variant_names()) {
    const ModelConfig published = cst_variant(name);
    if (published.blocks == config.blocks && published.estimators == config.estimators &&
        published.has_error_map() == config.has_error_map() && config.attention == Attention::sah) {
      return name;
    }
  }
  return "cst";
}

void infer_input(ModelConfig& config, const Tensors& tensors, const std::string& source) {
  const std::vector<std::int64_t>* fusion = tensors.shape("fution.weight");
  if (!fusion) {
    throw InputError(source, "tensors", "those of a CST network ('fution.weight', …), or all of another network's",
                     tensors.size() == 0 ? "none" : fmt::format("{} others: {}", tensors.size(), tensors.names()));
  }
  const bool four = fusion->size() == 4 && (*fusion)[0] >= 1 && (*fusion)[0] <= 1024;
  if (!four || ((*fusion)[1] != (*fusion)[0] && (*fusion)[1] != 2 * (*fusion)[0])) {
    throw InputError(source, "fution.weight", "bands×bands×1×1, or bands×(2·bands)×1×1 with the mask as input",
                     shape_text(*fusion));
  }
  config.bands = static_cast<int>((*fusion)[0]);
  config.mask_input = (*fusion)[1] != (*fusion)[0];
  config.wavelengths = config.bands == static_cast<int>(published_wavelengths().size()) ? published_wavelengths()
                                                                                        : std::vector<double>{};
}

void infer_estimators(ModelConfig& config, const Tensors& tensors) {
  const std::vector<std::int64_t>* last = tensors.shape("fe.out_conv2.weight");
  config.estimators = last ? 1 : 0;
  if (const auto* second = tensors.shape("fe.1.out_conv2.weight")) {
    config.estimators = 2;
    last = second;
  }
  const bool error_map = last && !last->empty() && last->front() == config.bands + 1;
  config.screening = error_map ? Screening::estimator : Screening::none;
  if (!error_map) config.sparsity = 0;
}

}  // namespace

void apply_settings(ModelConfig& config, const ModelSettings& settings, const std::string& source) {
  for (const auto& [key, text] : settings) {
    if (std::ranges::count(kSettable, key) == 0) {
      throw InputError("model settings", "", fmt::format("one of {}", fmt::join(kSettable, ", ")), quoted_name(key));
    }
    if (!assign(config, key, json_of(key, text))) {
      throw InputError("model settings", key, "a fitting value", quoted_name(text));
    }
  }
  check(config, source);
}

namespace {

/// The settings that other networks than CST have.
constexpr std::array<std::string_view, 3> kCommonSettings = {"step", "scale", "wavelengths"};

/// How far the names in a file are those of a network.
struct Likeness {
  std::size_t shared = 0;
  std::size_t missing = 0;     ///< of the network's; its constants may lack
  std::size_t unexpected = 0;  ///< of the file's
  bool whole() const { return missing + unexpected == 0; }
  /// Enough to tell what is wrong, should no network be there as a whole.
  bool close() const { return shared > missing + unexpected; }
};

Likeness likeness(const ModelConfig& config, std::span<const ParameterShape> all) {
  std::set<std::string_view> names;
  for (const ParameterShape& p : all) names.insert(p.name);
  Likeness result;
  for (const NetworkTensor& one : network_tensors(config)) {
    if (names.contains(one.shape.name)) {
      ++result.shared;
    } else if (one.kind != NetworkTensor::Kind::constant) {
      ++result.missing;
    }
  }
  result.unexpected = all.size() - result.shared;
  return result;
}

/// What the names tell of another network than CST; nothing when they are of none. Throws InputError, with the tensors
/// that are missing or too many, when they are nearly those of one.
std::optional<InferredConfig> infer_other(std::span<const ParameterShape> all, const ModelSettings& settings,
                                          const std::string& source) {
  const Tensors tensors(all);
  std::optional<ModelConfig> nearest;
  std::size_t most_shared = 0;
  for (const NetworkInfo& network : other_networks()) {
    const std::vector<std::int64_t>* shape = tensors.shape(network.bands_at.tensor);
    if (!shape || shape->size() <= network.bands_at.axis) continue;
    const std::int64_t bands = (*shape)[network.bands_at.axis];
    if (bands < 1 || bands > 1024) continue;
    InferredConfig result{network_config(network.name), {}};
    result.config.bands = static_cast<int>(bands);
    if (result.config.wavelengths.size() != static_cast<std::size_t>(bands)) result.config.wavelengths.clear();
    const Likeness like = likeness(result.config, all);
    if (!like.whole()) {
      if (like.close() && like.shared > most_shared) {
        nearest = result.config;
        most_shared = like.shared;
      }
      continue;
    }
    for (const auto& [key, value] : settings) {
      if (std::ranges::count(kCommonSettings, key) > 0) continue;
      throw InputError("model settings", network.name, fmt::format("one of {}", fmt::join(kCommonSettings, ", ")),
                       quoted_name(key));
    }
    apply_settings(result.config, settings, source);
    result.notes.push_back(fmt::format("From names and shapes: {}, {} bands.", network.title, bands));
    result.notes.push_back(fmt::format("{}: step {}, scale {}.", settings.empty() ? "As published" : "As given",
                                       result.config.step,
                                       result.config.scale == MeasurementScale::sum ? "sum" : "max"));
    return result;
  }
  if (nearest) check_shapes(*nearest, all, source, true);
  return std::nullopt;
}

InferredConfig infer_cst(std::span<const ParameterShape> all, const ModelSettings& settings,
                         const std::string& source) {
  const Tensors tensors(all);
  ModelConfig config;
  infer_input(config, tensors, source);
  infer_estimators(config, tensors);
  config.blocks = {tensors.blocks("encoder_layers.0.0"), tensors.blocks("encoder_layers.1.0"),
                   tensors.blocks("bottleneck")};
  config.attention = tensors.any(".attn.fn.to_q.weight") ? Attention::sah : Attention::none;
  config.variant = variant_of(config);
  const auto hash = std::ranges::find_if(all, [](const auto& p) { return p.name.ends_with(".hash_beta"); });
  const bool has_rounds = hash != all.end() && hash->shape.size() == 1 && hash->shape[0] >= 1 && hash->shape[0] <= 64;
  if (has_rounds) config.rounds = static_cast<int>(hash->shape[0]);
  const ModelConfig published = config;
  apply_settings(config, settings, source);

  InferredConfig result{config, {}};
  result.notes.push_back(
      fmt::format("From names and shapes: {}, {} bands, {} blocks, {}, {}{}.", config.variant, config.bands,
                  fmt::join(config.blocks, "+"),
                  config.estimators == 0   ? "no estimator"
                  : config.estimators == 1 ? "one estimator"
                                           : "two estimators",
                  published.has_error_map() ? "error map, " : "no error map, ",
                  config.mask_input ? "measurement and mask as input" : "measurement alone as input"));
  std::vector<std::string> assumed;
  const auto assume = [&](const std::string& key, const std::string& value) {
    if (!settings.contains(key) && !(has_rounds && key == "rounds"))
      assumed.push_back(fmt::format("{} {}", key, value));
  };
  assume("sparsity", fmt::format("{}", config.sparsity));
  assume("rounds", fmt::format("{}", config.rounds));
  assume("window", fmt::format("{}", config.window));
  assume("bucket", fmt::format("{}", config.bucket));
  assume("step", fmt::format("{}", config.step));
  assume("scale", config.scale == MeasurementScale::sum ? "sum" : "max");
  if (!assumed.empty()) result.notes.push_back(fmt::format("As published: {}.", fmt::join(assumed, ", ")));
  return result;
}

}  // namespace

InferredConfig infer_config(std::span<const ParameterShape> tensors, const ModelSettings& settings,
                            const std::string& source) {
  if (auto other = infer_other(tensors, settings, source)) return *std::move(other);
  return infer_cst(tensors, settings, source);
}

}  // namespace snapcube
