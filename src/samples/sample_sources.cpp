#include "samples/sample_sources.h"

#include <algorithm>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/noise.h>

#include "base/text.h"

namespace snapcube {

namespace {

using nlohmann::json;

template <typename Owner>
struct NamedField {
  std::string name;
  Field<Owner> field;
};
template <typename Owner>
using Fields = std::vector<NamedField<Owner>>;

const Fields<MaskSource>& mask_fields() {
  using Kind = MaskSource::Kind;
  static const Fields<MaskSource> fields = {
      {"kind", word(&MaskSource::kind, {{"file", Kind::file}, {"binary", Kind::binary}, {"grey", Kind::grey}})},
      {"file", text(&MaskSource::file)},
      {"weight", number(&MaskSource::weight, kFromZero)},
      {"low", number(&MaskSource::low, kShare)},
      {"high", number(&MaskSource::high, kShare)},
      {"flips", flag(&MaskSource::flips)},
      {"blur", number(&MaskSource::blur, kFromZero)},
  };
  return fields;
}

struct Noise {
  std::string model;
  double weight = 1;
};

const Fields<Noise>& noise_fields() {
  static const Fields<Noise> fields = {
      {"model", text(&Noise::model)},
      {"weight", number(&Noise::weight, kFromZero)},
  };
  return fields;
}

template <typename Owner>
std::vector<std::string> names_of(const Fields<Owner>& fields) {
  std::vector<std::string> names;
  for (const auto& f : fields) names.push_back(f.name);
  return names;
}

template <typename Owner>
std::optional<BadValue> read_record(const Fields<Owner>& fields, const json& object, const std::string& where,
                                    Owner& record) {
  if (!object.is_object()) return BadValue{where, "a table", found_text(object)};
  for (const auto& [name, value] : object.items()) {
    const auto found = std::ranges::find_if(fields, [&wanted = name](const auto& f) { return f.name == wanted; });
    if (found == fields.end()) {
      return BadValue{fmt::format("{}.{}", where, name), fmt::format("one of {}", fmt::join(names_of(fields), ", ")),
                      fmt::format("'{}'", name.substr(0, 80))};
    }
    if (!found->field.set(record, value)) {
      return BadValue{fmt::format("{}.{}", where, name), found->field.expected, found_text(value)};
    }
  }
  return std::nullopt;
}

template <typename Owner>
std::optional<BadValue> read_records(const Fields<Owner>& fields, const json& list, std::vector<Owner>& records) {
  if (!list.is_array()) return BadValue{"", "a list of tables", found_text(list)};
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (auto bad = read_record(fields, list[i], fmt::format("[{}]", i), records.emplace_back())) return bad;
  }
  return std::nullopt;
}

json value_from_text(const std::string& text) {
  if (const auto number = parse_double(text)) return *number;
  if (text == "yes" || text == "true") return true;
  if (text == "no" || text == "false") return false;
  return text;
}

}  // namespace

std::vector<std::string> mask_key_names() { return names_of(mask_fields()); }

json masks_to_json(const TrainConfig& config) {
  json list = json::array();
  for (const MaskSource& mask : config.masks) {
    const MaskSource usual;
    json& object = list.emplace_back(json::object());
    for (const auto& [name, field] : mask_fields()) {
      const bool needed = name == "kind" || name == "weight" ||
                          (mask.kind == MaskSource::Kind::file ? name == "file" : name == "low" || name == "high");
      if (needed || field.get(mask) != field.get(usual)) object[name] = field.get(mask);
    }
  }
  return list;
}

std::optional<BadValue> masks_from_json(TrainConfig& config, const json& list) {
  std::vector<MaskSource> masks;
  if (auto bad = read_records(mask_fields(), list, masks)) return bad;
  for (std::size_t i = 0; i < masks.size(); ++i) {
    const MaskSource& mask = masks[i];
    if (mask.kind == MaskSource::Kind::file && mask.file.empty()) {
      return BadValue{fmt::format("[{}].file", i), "the name of a mask's file", "nothing"};
    }
    if (mask.low > mask.high) {
      return BadValue{fmt::format("[{}].low", i), fmt::format("at most 'high', {}", mask.high),
                      fmt::format("{}", mask.low)};
    }
  }
  config.masks = std::move(masks);
  return std::nullopt;
}

json mask_from_text(const std::string& text) {
  json object = json::object();
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string kind = text.substr(0, colon);
  if (kind != "binary" && kind != "grey" && (kind != "file" || colon == text.size())) {
    object["kind"] = "file";
    object["file"] = text;
    return object;
  }
  object["kind"] = kind;
  if (colon == text.size()) return object;
  for (const std::string& setting : split(text.substr(colon + 1), ',')) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      object["file"] = setting;
    } else {
      object[setting.substr(0, equals)] = value_from_text(setting.substr(equals + 1));
    }
  }
  return object;
}

json noises_to_json(const TrainConfig& config) {
  json list = json::array();
  for (const auto& [model, weight] : config.noises) {
    json& object = list.emplace_back(json::object());
    object["model"] = model;
    object["weight"] = weight;
  }
  return list;
}

std::optional<BadValue> noises_from_json(TrainConfig& config, const json& list) {
  std::vector<Noise> noises;
  if (auto bad = read_records(noise_fields(), list, noises)) return bad;
  std::vector<std::pair<std::string, double>> pairs;
  for (std::size_t i = 0; i < noises.size(); ++i) {
    try {
      NoiseModel::parse(noises[i].model);
    } catch (const InputError& error) {
      return BadValue{fmt::format("[{}].model", i), "a noise model",
                      fmt::format("'{}' ({})", noises[i].model, error.what())};
    }
    pairs.emplace_back(noises[i].model, noises[i].weight);
  }
  config.noises = std::move(pairs);
  return std::nullopt;
}

json noise_from_text(const std::string& text) {
  json object = json::object();
  const std::size_t at = text.rfind('@');
  object["model"] = text.substr(0, at);
  if (at != std::string::npos) object["weight"] = value_from_text(text.substr(at + 1));
  return object;
}

}  // namespace snapcube
