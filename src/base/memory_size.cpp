#include "base/memory_size.h"

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"

namespace snapcube {

std::optional<std::uint64_t> parse_bytes(std::string_view text, std::uint64_t alone) {
  constexpr double kMost = 1e18;
  const auto bytes = [](double number, double unit) -> std::optional<std::uint64_t> {
    if (!(number >= 0) || number * unit > kMost) return std::nullopt;
    return static_cast<std::uint64_t>(number * unit);
  };
  text = trim(text);
  if (const auto number = parse_double(text)) return bytes(*number, static_cast<double>(alone));
  const std::size_t digits = text.find_first_not_of("0123456789.");
  if (digits == std::string_view::npos) return std::nullopt;
  const auto number = parse_double(text.substr(0, digits));
  const std::string unit = lower(trim(text.substr(digits)));
  constexpr std::array<std::pair<std::string_view, int>, 5> kShifts{
      {{"", 0}, {"k", 10}, {"m", 20}, {"g", 30}, {"t", 40}}};
  for (const auto& [letter, shift] : kShifts) {
    if (number && (unit == letter || unit == std::string(letter) + "b" || unit == std::string(letter) + "ib")) {
      return bytes(*number, std::ldexp(1.0, shift));
    }
  }
  return std::nullopt;
}

}  // namespace snapcube
