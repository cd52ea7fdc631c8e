#include "models/model_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/printable.h"
#include "base/text.h"
#include "models/networks.h"

namespace snapcube {

namespace {

template <typename Enum>
using Names = std::vector<std::pair<std::string, Enum>>;

const Names<Screening> kScreening = {{"none", Screening::none},
                                     {"estimator", Screening::estimator},
                                     {"random", Screening::random},
                                     {"uniform", Screening::uniform}};
const Names<Scope> kScope = {{"local", Scope::local}, {"global", Scope::global}};
const Names<Attention> kAttention = {{"none", Attention::none},       {"sah", Attention::sah},
                                     {"global", Attention::global},   {"window", Attention::window},
                                     {"shifted", Attention::shifted}, {"spectral", Attention::spectral}};
const Names<MeasurementScale> kScale = {{"sum", MeasurementScale::sum}, {"max", MeasurementScale::max}};

template <typename Enum>
std::string name_of(const Names<Enum>& names, Enum value) {
  for (const auto& [name, meaning] : names) {
    if (meaning == value) return name;
  }
  return "?";
}

/// It is printed where models are listed.
bool is_name(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  return !text.empty() && text.size() <= kLongest &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_' || c == '.'; });
}

}  // namespace

const std::vector<std::string>& cst_variant_names() {
  static const std::vector<std::string> names = {"cst-s", "cst-m", "cst-l", "cst-l-star"};
  return names;
}

ModelConfig cst_variant(std::string_view name) {
  ModelConfig config;
  config.variant = name;
  config.wavelengths = published_wavelengths();
  if (name == "cst-s") return config;
  if (name == "cst-m") {
    config.blocks = {2, 2, 2};
    return config;
  }
  if (name == "cst-l" || name == "cst-l-star") {
    config.blocks = {2, 4, 6};
    config.estimators = 2;
    if (name == "cst-l-star") {
      config.screening = Screening::none;
      config.sparsity = 0;
    }
    return config;
  }
  throw InputError("model", "", fmt::format("one of {}", fmt::join(cst_variant_names(), ", ")),
                   fmt::format("'{}'", name));
}

std::string text(Attention attention) { return name_of(kAttention, attention); }

// The numbers of heads of the other forms are not published. These, of as many channels as there are bands, come
// closest to the published numbers of parameters and operations (docs/ablations.md).
int ModelConfig::heads(int stage) const {
  const auto at = static_cast<std::size_t>(stage);
  switch (attention) {
    case Attention::global:
      return std::array{6, 12, 24}[at];
    case Attention::window:
    case Attention::shifted:
      return std::array{2, 14, 24}[at];
    case Attention::spectral:
      return std::array{6, 12, 16}[at];
    default:
      return 1 << stage;
  }
}

int ModelConfig::inner(int stage) const {
  constexpr int kWider = 3;  // a head of SAH-MSA projects to three times its channels
  return heads(stage) * bands * (attention == Attention::sah ? kWider : 1);
}

int ModelConfig::kept_windows(int windows) const {
  switch (screening) {
    case Screening::none:
      return windows;
    case Screening::uniform:
      return (windows + 1) / 2;
    default:
      return static_cast<int>(std::floor((1 - sparsity) * windows));
  }
}

void check(const ModelConfig& c, const std::string& source) {
  const auto refuse = [&](const std::string& field, const std::string& expected, const std::string& found) {
    throw InputError(source, field, expected, found);
  };
  if (!is_name(c.variant)) refuse("variant", "a short name of letters, digits and '-'", quoted_name(c.variant));
  if (c.bands < 1 || c.bands > 1024) refuse("bands", "1 … 1024", std::to_string(c.bands));
  for (const int n : c.blocks) {
    if (n < 1 || n > 64)
      refuse("blocks", "1 … 64 at each of the three stages", fmt::format("{}", fmt::join(c.blocks, ",")));
  }
  if (c.estimators < 0 || c.estimators > 2) refuse("estimators", "0, 1 or 2", std::to_string(c.estimators));
  if (c.screening == Screening::estimator && c.estimators == 0) {
    refuse("screening", "something else than 'estimator' for a network without estimators", "estimator");
  }
  if (c.has_other_attention() && c.screening != Screening::none) {
    refuse("screening", fmt::format("'none', because attention '{}' works on every window", text(c.attention)),
           name_of(kScreening, c.screening));
  }
  if (!(c.sparsity >= 0 && c.sparsity <= 0.99)) {
    refuse("sparsity", "at least 0 and at most 0.99 (1 leaves no window)", fmt::format("{}", c.sparsity));
  }
  if (c.window < 2 || c.window > 256 || c.window % 2 != 0)
    refuse("window", "an even number, 2 … 256", std::to_string(c.window));
  if (c.bucket < 1 || c.window * c.window % c.bucket != 0) {
    refuse("bucket", fmt::format("a divisor of the {} tokens of a window", c.window * c.window),
           std::to_string(c.bucket));
  }
  if (c.rounds < 1 || c.rounds > 64) refuse("rounds", "1 … 64", std::to_string(c.rounds));
  if (!(c.loss_weight >= 0) || !std::isfinite(c.loss_weight)) {
    refuse("loss_weight", "a number of at least 0", fmt::format("{}", c.loss_weight));
  }
  if (c.step < -1000 || c.step > 1000) refuse("step", "-1000 … 1000 pixels", std::to_string(c.step));
  if (!c.wavelengths.empty() && c.wavelengths.size() != static_cast<std::size_t>(c.bands)) {
    refuse("wavelengths", fmt::format("{}, one for each band", c.bands), std::to_string(c.wavelengths.size()));
  }
  for (const double nm : c.wavelengths) {
    if (!(nm > 0) || !std::isfinite(nm)) refuse("wavelengths", "numbers above 0", fmt::format("{}", nm));
  }
}

FrameSize usable_size(const ModelConfig& config, int height, int width) {
  if (const NetworkInfo* network = find_network(config.variant)) {
    if (network->only_size > 0) return {network->only_size, network->only_size};
    const int multiple = network->size_multiple;
    return {(height + multiple - 1) / multiple * multiple, (width + multiple - 1) / multiple * multiple};
  }
  const int unit = config.size_multiple();
  const auto up = [unit](int n) { return (n + unit - 1) / unit * unit; };
  FrameSize size{up(height), up(width)};
  // The bottleneck, at a quarter of the resolution, has the fewest windows; one at least must be kept.
  while (config.kept_windows(size.height / unit * (size.width / unit)) < 1) {
    size.width <= size.height ? size.width += unit : size.height += unit;
  }
  return size;
}

namespace {

nlohmann::ordered_json described(const ModelConfig& c) {
  if (find_network(c.variant)) {  // all else follows from its name
    return {{"variant", c.variant},
            {"bands", c.bands},
            {"step", c.step},
            {"scale", name_of(kScale, c.scale)},
            {"wavelengths", c.wavelengths}};
  }
  return {{"variant", c.variant},
          {"bands", c.bands},
          {"blocks", c.blocks},
          {"estimators", c.estimators},
          {"screening", name_of(kScreening, c.screening)},
          {"sparsity", c.sparsity},
          {"window", c.window},
          {"bucket", c.bucket},
          {"rounds", c.rounds},
          {"loss_weight", c.loss_weight},
          {"attention", name_of(kAttention, c.attention)},
          {"scope", name_of(kScope, c.scope)},
          {"hash_floor", c.hash_floor},
          {"scale_logits", c.scale_logits},
          {"mask_input", c.mask_input},
          {"step", c.step},
          {"scale", name_of(kScale, c.scale)},
          {"wavelengths", c.wavelengths}};
}

}  // namespace

nlohmann::ordered_json to_json(const ModelConfig& c) {
  nlohmann::ordered_json json = described(c);
  if (c.feedback) json["feedback"] = true;
  return json;
}

namespace {

/// Sets one field from its JSON value; false when the type or the word does not fit.
using Setter = std::function<bool(ModelConfig&, const nlohmann::json&)>;

Setter integer(int ModelConfig::*field) {
  return [field](ModelConfig& c, const nlohmann::json& v) {
    if (!v.is_number_integer() || v < -1'000'000 || v > 1'000'000) return false;
    c.*field = v.get<int>();
    return true;
  };
}
Setter number(double ModelConfig::*field) {
  return
      [field](ModelConfig& c, const nlohmann::json& v) { return v.is_number() && (c.*field = v.get<double>(), true); };
}
Setter flag(bool ModelConfig::*field) {
  return
      [field](ModelConfig& c, const nlohmann::json& v) { return v.is_boolean() && (c.*field = v.get<bool>(), true); };
}
template <typename Enum>
Setter word(Enum ModelConfig::*field, const Names<Enum>& names) {
  return [field, &names](ModelConfig& c, const nlohmann::json& v) {
    for (const auto& [name, meaning] : names) {
      if (v == name) return c.*field = meaning, true;
    }
    return false;
  };
}

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"variant", [](ModelConfig& c, const nlohmann::json& v) { return v.is_string() && (c.variant = v, true); }},
      {"bands", integer(&ModelConfig::bands)},
      {"blocks",
       [](ModelConfig& c, const nlohmann::json& v) {
         if (!v.is_array() || v.size() != 3) return false;
         for (std::size_t i = 0; i < 3; ++i) {
           if (!v[i].is_number_integer() || v[i] < 0 || v[i] > 1000) return false;
           c.blocks[i] = v[i].get<int>();
         }
         return true;
       }},
      {"estimators", integer(&ModelConfig::estimators)},
      {"screening", word(&ModelConfig::screening, kScreening)},
      {"sparsity", number(&ModelConfig::sparsity)},
      {"window", integer(&ModelConfig::window)},
      {"bucket", integer(&ModelConfig::bucket)},
      {"rounds", integer(&ModelConfig::rounds)},
      {"loss_weight", number(&ModelConfig::loss_weight)},
      {"attention", word(&ModelConfig::attention, kAttention)},
      {"scope", word(&ModelConfig::scope, kScope)},
      {"hash_floor", flag(&ModelConfig::hash_floor)},
      {"scale_logits", flag(&ModelConfig::scale_logits)},
      {"mask_input", flag(&ModelConfig::mask_input)},
      {"feedback", flag(&ModelConfig::feedback)},
      {"step", integer(&ModelConfig::step)},
      {"scale", word(&ModelConfig::scale, kScale)},
      {"wavelengths",
       [](ModelConfig& c, const nlohmann::json& v) {
         if (!v.is_array() || v.size() > 1024) return false;
         c.wavelengths.clear();
         for (const auto& w : v) {
           if (!w.is_number()) return false;
           c.wavelengths.push_back(w.get<double>());
         }
         return true;
       }},
  };
  return all;
}

}  // namespace

bool assign(ModelConfig& config, const std::string& key, const nlohmann::json& value) {
  const auto setter = setters().find(key);
  return setter != setters().end() && setter->second(config, value);
}

ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& source) {
  if (!json.is_object()) throw InputError(source, "configuration", "a JSON object", json.type_name());
  ModelConfig config;
  if (json.contains("variant") && json["variant"].is_string() && find_network(json["variant"].get<std::string>())) {
    constexpr std::array kCommon = {"variant", "bands", "step", "scale", "wavelengths", "feedback"};
    for (const auto& [key, value] : json.items()) {
      if (std::ranges::find(kCommon, key) != kCommon.end()) continue;
      throw InputError(source, "configuration", fmt::format("one of the keys {}", fmt::join(kCommon, ", ")),
                       quoted_name(key));
    }
  }
  for (const auto& [key, value] : json.items()) {
    if (!setters().contains(key)) throw InputError(source, "configuration", "known keys", quoted_name(key));
    if (!assign(config, key, value)) {
      throw InputError(source, fmt::format("configuration '{}'", key), "a fitting value",
                       shortened(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    }
  }
  check(config, source);
  return config;
}

}  // namespace snapcube
