#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>

#include "base/printable.h"

namespace snapcube {

std::string shape_text(std::span<const std::int64_t> shape) {
  if (shape.empty()) return "a single value";
  return fmt::format("{}", fmt::join(shape.begin(), shape.end(), "×"));
}

std::string shape_text(std::int64_t height, std::int64_t width) { return fmt::format("{}×{}", height, width); }

namespace {
template <typename T>
std::optional<T> parse_whole(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}
}  // namespace

std::optional<double> parse_double(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_whole<double>(text);
}

std::optional<std::int64_t> parse_int(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_whole<std::int64_t>(text);
}

double positive_number(std::string_view text, const std::string& source, const std::string& field) {
  const std::optional<double> value = parse_double(trim(text));
  if (!value || !std::isfinite(*value) || *value <= 0) {
    throw InputError(source, field, "a number above 0", fmt::format("'{}'", text.substr(0, 40)));
  }
  return *value;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

std::string quoted_name(std::string_view name) { return fmt::format("'{}'", printable(shortened(name))); }

}  // namespace snapcube
