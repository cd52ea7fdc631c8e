#include "train/toml.h"

#include <algorithm>
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

/// TOML has letters beyond ASCII in texts and comments alone. Elsewhere some of them lead the parser to a place that
/// its authors took for unreachable, so that they are refused before.
class AsciiCheck {
 public:
  AsciiCheck(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '"' || c == '\'') {
        skip_text(c);
      } else if (static_cast<unsigned char>(c) >= 0x80) {
        const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
        throw InputError(source_, fmt::format("line {}", line), "ASCII outside of texts and comments",
                         fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(c)));
      } else {
        ++at_;
      }
    }
  }

 private:
  /// Behind the text that starts here: 'a', "a", and those of three quotation marks, which go over lines.
  void skip_text(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        at_ = std::min(at_ + 2, text_.size());
      } else if (!lines && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else if (lines && text_.substr(at_, 3) == three) {
        at_ = std::min(text_.find_first_not_of(quote, at_), text_.size());  // one or two may belong to the text
        return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
};

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
  AsciiCheck(text, source).run();
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
