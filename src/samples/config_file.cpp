#include "samples/config_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>

#include "base/atomic_file.h"
#include "base/text.h"
#include "io/input_file.h"
#include "samples/config_keys.h"
#include "samples/sample_sources.h"
#include "samples/toml.h"

namespace snapcube {

namespace {

using nlohmann::json;

constexpr std::uint64_t kLargestFile = 1 << 20;
constexpr std::size_t kColumns = 120;

[[noreturn]] void refuse(const TomlDocument& document, const std::string& source, const std::string& path,
                         const std::string& expected, const std::string& found) {
  // A value that is missing has no line: take that of the table it is missing in.
  auto line = document.lines.find(path);
  if (line == document.lines.end()) line = document.lines.find(path.substr(0, path.find_last_of('.')));
  const std::string place = line == document.lines.end() ? "" : fmt::format(" (line {})", line->second);
  throw InputError(source, fmt::format("key '{}'{}", path.substr(0, 120), place), expected, found);
}

std::vector<std::string> key_names(const std::string& section) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_keys()) {
    if (key.section == section) names.push_back(key.name);
  }
  return names;
}

void check_names(const TomlDocument& document, const std::string& source) {
  std::vector<std::string> sections;
  for (const ConfigSection& section : config_sections()) sections.push_back(section.name);
  for (const auto& [section, values] : document.values.items()) {
    if (std::ranges::count(sections, section) == 0) {
      refuse(document, source, section, fmt::format("one of the sections {}", fmt::join(sections, ", ")),
             fmt::format("'{}'", section.substr(0, 80)));
    }
    if (!values.is_object()) refuse(document, source, section, "a section", found_text(values));
    const std::vector<std::string> names = key_names(section);
    for (const auto& [name, value] : values.items()) {
      if (std::ranges::count(names, name) > 0) continue;
      refuse(document, source, fmt::format("{}.{}", section, name), fmt::format("one of {}", fmt::join(names, ", ")),
             fmt::format("'{}'", name.substr(0, 80)));
    }
  }
}

/// `text` in lines of comment.
std::string comment(const std::string& text) {
  std::string lines;
  std::string line = "#";
  for (const std::string& word : split(text, ' ')) {
    if (line.size() + 1 + word.size() > kColumns) {
      lines += line + "\n";
      line = "#";
    }
    line += " " + word;
  }
  return lines + line + "\n";
}

/// A JSON value as TOML: the two agree on numbers, texts without control characters and lists.
std::string toml_text(const json& value) {
  if (value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& [name, item] : value.items()) parts.push_back(name + " = " + toml_text(item));
    return fmt::format("{{ {} }}", fmt::join(parts, ", "));
  }
  if (!value.is_array()) return value.dump();
  std::string lines;
  std::string line;
  for (const json& item : value) {
    const std::string text = toml_text(item);
    if (!line.empty() && line.size() + text.size() + 6 > kColumns) {
      lines += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + text + ",";
  }
  if (!line.empty()) line.pop_back();
  return lines.empty() ? "[" + line + "]" : "[\n" + lines + "  " + line + "\n]";
}

std::string key_text(const ConfigKey& key, const json& value) {
  const std::string explained = comment(key.help + " (" + key.expected + ")");
  // Tables in a list stand at the end of their section.
  if (key.name != "masks") return fmt::format("{}{} = {}\n", explained, key.name, toml_text(value));
  std::string text = explained;
  for (const json& mask : value) {
    text += fmt::format("[[{}]]\n", key.path());
    for (const std::string& name : mask_key_names()) {
      if (mask.contains(name)) text += fmt::format("{} = {}\n", name, toml_text(mask[name]));
    }
  }
  return text;
}

}  // namespace

TrainConfig parse_config(std::string_view toml, const std::string& source) {
  const TomlDocument document = parse_toml(toml, source);
  check_names(document, source);
  TrainConfig config;
  for (const ConfigKey& key : config_keys()) {
    const auto section = document.values.find(key.section);
    if (section == document.values.end() || !section->contains(key.name)) continue;
    if (const auto bad = key.set(config, section->at(key.name))) {
      refuse(document, source, key.path() + bad->where, bad->expected, bad->found);
    }
  }
  return config;
}

TrainConfig read_config(const std::string& file) {
  const std::vector<std::byte> bytes = InputFile(file).rest(0, kLargestFile);
  return parse_config({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file);
}

std::string config_text(const TrainConfig& config) {
  std::string text = "# A training run of snapcube. Every key is also an option of `snapcube train`.\n";
  for (const ConfigSection& section : config_sections()) {
    text += fmt::format("\n# {}\n[{}]\n", section.help, section.name);
    for (const ConfigKey& key : config_keys()) {
      if (key.section != section.name) continue;
      if (const json value = key.get(config); !value.is_null()) text += key_text(key, value);
    }
  }
  return text;
}

nlohmann::ordered_json changed_settings(const TrainConfig& config) {
  const TrainConfig defaults;
  auto changed = nlohmann::ordered_json::object();
  for (const ConfigKey& key : config_keys()) {
    if (const json value = key.get(config); value != key.get(defaults)) changed[key.path()] = value;
  }
  return changed;
}

void write_config(const TrainConfig& config, const std::string& file) {
  const std::string text = config_text(config);
  AtomicFile output(file);
  output.write(text.data(), text.size());
  output.commit();
}

}  // namespace snapcube
