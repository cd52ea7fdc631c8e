#include "calibration/capture_list.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

constexpr std::size_t kMostLines = 100'000;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Fields of one line; "" inside of quotes is a quote.
std::vector<std::string> fields(std::string_view line, char separator, const std::string& source, int number) {
  std::vector<std::string> result;
  std::size_t i = 0;
  while (true) {
    std::string field;
    while (i < line.size() && (line[i] == ' ' || (line[i] == '\t' && separator != '\t'))) ++i;
    if (i < line.size() && line[i] == '"') {
      bool closed = false;
      for (++i; i < line.size(); ++i) {
        if (line[i] != '"') {
          field += line[i];
        } else if (i + 1 < line.size() && line[i + 1] == '"') {
          field += line[i++];
        } else {
          closed = true;
          ++i;
          break;
        }
      }
      if (!closed) throw InputError(source, fmt::format("line {}", number), "a closing quote", "none");
      const std::size_t end = std::min(line.find(separator, i), line.size());
      if (!trim(line.substr(i, end - i)).empty()) {
        throw InputError(source, fmt::format("line {}", number), "a separator after the quote",
                         quoted_name(line.substr(i, end - i)));
      }
      i = end;
    } else {
      const std::size_t end = std::min(line.find(separator, i), line.size());
      field = trim(line.substr(i, end - i));
      i = end;
    }
    result.push_back(std::move(field));
    if (i >= line.size()) return result;
    ++i;  // the separator
  }
}

char separator_of(std::string_view line) {
  for (const char c : {'\t', ';'}) {
    if (line.find(c) != std::string_view::npos) return c;
  }
  return ',';
}

}  // namespace

std::optional<double> wavelength_in_name(std::string_view stem) {
  const std::string name = lower(stem);
  if (const auto all = parse_double(name); all && is_digit(name.front())) return all;
  std::optional<double> found;
  for (std::size_t at = name.find("nm"); at != std::string::npos; at = name.find("nm", at + 1)) {
    // "nm" ends a word, and a number stands before it, "532 nm" and "532_nm" too.
    if (at + 2 < name.size() && std::isalpha(static_cast<unsigned char>(name[at + 2]))) continue;
    std::size_t end = at;
    while (end > 0 && (name[end - 1] == ' ' || name[end - 1] == '_')) --end;
    std::size_t begin = end;
    bool point = false;
    while (begin > 0 && (is_digit(name[begin - 1]) || (name[begin - 1] == '.' && !point))) {
      point = point || name[begin - 1] == '.';
      --begin;
    }
    if (begin < end && name[begin] == '.') ++begin;
    const auto number = parse_double(std::string_view(name).substr(begin, end - begin));
    if (number) found = number;
  }
  return found;
}

std::vector<ListedFile> parse_list(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  std::vector<ListedFile> result;
  int number = 0;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::string_view content = trim(line);
    if (content.empty() || content.starts_with('#')) continue;
    if (content.find('\0') != std::string_view::npos) {
      throw InputError(source, fmt::format("line {}", number), "text", "a character 0");
    }
    const std::vector<std::string> parts = fields(content, separator_of(content), source, number);
    if (parts.size() < 2 || parts[0].empty() || parts[1].empty()) {
      throw InputError(source, fmt::format("line {}", number), "a file and a number", quoted_name(content));
    }
    if (std::exchange(first, false) && !parse_double(parts[1])) continue;  // a heading
    if (result.size() == kMostLines) {
      throw InputError(source, "lines", fmt::format("at most {}", kMostLines), "more");
    }
    result.push_back({parts[0], parts[1], number});
  }
  if (result.empty()) throw InputError(source, "", "lines of a file and a number", "none");
  return result;
}

}  // namespace snapcube
