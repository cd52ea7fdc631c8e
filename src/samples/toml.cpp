#include "samples/toml.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
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

/// The same document in ASCII. Letters beyond it may stand in texts and comments alone; those of texts become escapes,
/// those of comments go. toml++ 3.3 asks of every letter whether it is a space, in error messages too, and for U+00A1 …
/// U+0499 and some others arrives where its authors took the code for unreachable.
class AsciiForm {
 public:
  AsciiForm(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  std::string make() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n') {
          if (is_ascii()) result_ += text_[at_];
          ++at_;
        }
      } else if (c == '"' || c == '\'') {
        copy_text(c);
      } else {
        if (!is_ascii()) refuse("ASCII outside of texts and comments");
        copy(1);
      }
    }
    return std::move(result_);
  }

 private:
  bool is_ascii() const { return static_cast<unsigned char>(text_[at_]) < 0x80; }
  void copy(std::size_t count) {
    result_ += text_.substr(at_, count);
    at_ = std::min(at_ + count, text_.size());
  }
  [[noreturn]] void refuse(const char* expected) const {
    const auto line = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at_), '\n');
    throw InputError(source_, fmt::format("line {}", line), expected,
                     fmt::format("the byte 0x{:02x}", static_cast<unsigned char>(text_[at_])));
  }

  /// The text that starts here: 'a', "a", and those of three quotation marks, which go over lines.
  void copy_text(char quote) {
    const std::string three(3, quote);
    const bool lines = text_.substr(at_, 3) == three;
    copy(lines ? 3 : 1);
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && quote == '"') {
        copy(1);
        if (at_ < text_.size() && !is_ascii()) refuse("an escape such as \\n behind the backslash");
        copy(1);
      } else if (!lines && (text_[at_] == quote || text_[at_] == '\n')) {
        return copy(1);
      } else if (lines && text_.substr(at_, 3) == three) {
        return copy(std::min(text_.find_first_not_of(quote, at_), text_.size()) - at_);  // one or two may be the text's
      } else if (is_ascii()) {
        copy(1);
      } else if (quote == '"') {
        copy_as_escape();
      } else {
        refuse("ASCII in a text of single quotation marks (double ones may hold any letter)");
      }
    }
  }

  /// One letter of UTF-8, as \UXXXXXXXX.
  void copy_as_escape() {
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0;
    };
    const std::uint32_t first = byte(0);
    const std::size_t length = first >> 5 == 0x6 ? 2 : first >> 4 == 0xE ? 3 : first >> 3 == 0x1E ? 4 : 0;
    if (length == 0) refuse("UTF-8");
    std::uint32_t letter = first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
      if (byte(i) >> 6 != 0x2) refuse("UTF-8");
      letter = letter << 6 | (byte(i) & 0x3F);
    }
    constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    if (letter < kLeast[length] || letter > 0x10FFFF || (letter >= 0xD800 && letter <= 0xDFFF)) refuse("UTF-8");
    result_ += fmt::format("\\U{:08X}", letter);
    at_ += length;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::string result_;
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
  const std::string ascii = AsciiForm(text, source).make();
  try {
    const toml::table table = toml::parse(std::string_view(ascii), source);
    TomlDocument document;
    document.values = Converter(document, source).convert(table, "", 0);
    return document;
  } catch (const toml::parse_error& error) {
    throw InputError(source, fmt::format("line {}", error.source().begin.line), "TOML",
                     std::string(error.description()));
  }
}

}  // namespace snapcube
