#include "train/toml.h"

#include <cmath>
#include <fmt/format.h>
#include <toml++/toml.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

using Json = nlohmann::json;

/// The parser calls itself once for every dot of a key and runs out of stack on a hostile one. A key cannot go on in
/// the next line, so that the length of a line bounds the depth.
constexpr std::size_t kLongestLine = 4096;
constexpr int kDeepestValue = 8;

void check_lines(std::string_view text, const std::string& source) {
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (end > kLongestLine) {
      throw InputError(source, fmt::format("line {}", line), fmt::format("at most {} bytes", kLongestLine),
                       std::to_string(end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

class Converter {
 public:
  Converter(TomlDocument& document, const std::string& source) : document_(document), source_(source) {}

  Json convert(const toml::node& node, const std::string& path, int depth) {
    if (depth > kDeepestValue) refuse(node, path, "values at most eight levels deep", "more");
    if (!path.empty()) document_.lines[path] = line_of(node);
    if (const auto* table = node.as_table()) {
      Json object = Json::object();
      for (const auto& [key, value] : *table) {
        const std::string name(key.str());
        object[name] = convert(value, path.empty() ? name : path + "." + name, depth + 1);
      }
      return object;
    }
    if (const auto* array = node.as_array()) {
      Json list = Json::array();
      for (const toml::node& value : *array) {
        list.push_back(convert(value, fmt::format("{}[{}]", path, list.size()), depth + 1));
      }
      return list;
    }
    if (const auto* value = node.as_string()) return value->get();
    if (const auto* value = node.as_boolean()) return value->get();
    if (const auto* value = node.as_integer()) return value->get();
    const auto* value = node.as_floating_point();
    if (!value) refuse(node, path, "a number, a text, true, false, a list or a table", "a date or time");
    if (!std::isfinite(value->get())) refuse(node, path, "a finite number", fmt::format("{}", value->get()));
    return value->get();
  }

 private:
  [[noreturn]] void refuse(const toml::node& node, const std::string& path, const std::string& expected,
                           const std::string& found) {
    throw InputError(source_, fmt::format("key '{}' (line {})", path.substr(0, 80), line_of(node)), expected, found);
  }

  TomlDocument& document_;
  const std::string& source_;
};

}  // namespace

TomlDocument parse_toml(std::string_view text, const std::string& source) {
  check_lines(text, source);
  try {
    const toml::table table = toml::parse(text, source);
    TomlDocument document;
    document.values = Converter(document, source).convert(table, "", 0);
    return document;
  } catch (const toml::parse_error& error) {
    throw InputError(source, fmt::format("line {}", error.source().begin.line), "TOML",
                     std::string(error.description()));
  }
}

}  // namespace snapcube
