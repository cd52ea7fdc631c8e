#include "serve/target.h"

#include <algorithm>

namespace snapcube {

namespace {

constexpr std::size_t kLongest = 512;
constexpr std::size_t kMostParameters = 8;

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_alphanumeric(char c) { return is_small(c) || is_digit(c) || (c >= 'A' && c <= 'Z'); }

template <typename Test>
bool all(std::string_view text, Test test) {
  return std::ranges::all_of(text, test);
}

}  // namespace

std::optional<Target> parse_target(std::string_view text) {
  if (text.size() > kLongest || !text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string_view::npos) return std::nullopt;
  Target target;
  target.token = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  const std::size_t question = text.find('?');
  target.name = text.substr(0, question);
  if (!all(target.token, is_alphanumeric)) return std::nullopt;
  if (!all(target.name, [](char c) { return is_small(c) || is_digit(c) || c == '.'; })) return std::nullopt;
  if (question == std::string_view::npos) return target;
  text.remove_prefix(question + 1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('&'), text.size());
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    if (equals == 0 || equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(equals + 1);
    if (!all(key, is_small)) return std::nullopt;
    if (!all(value, [](char c) { return is_alphanumeric(c) || c == '.' || c == '-'; })) return std::nullopt;
    if (!target.parameters.emplace(key, value).second) return std::nullopt;
    if (target.parameters.size() > kMostParameters) return std::nullopt;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return target;
}

}  // namespace snapcube
