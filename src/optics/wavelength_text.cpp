#include "optics/wavelength_text.h"

#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/text.h"

namespace snapcube {

std::vector<double> parse_numbers(const std::string& text, const std::string& option) {
  std::vector<double> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = parse_double(part);
    if (!number || !std::isfinite(*number)) {
      throw InputError(option, "", "numbers separated by commas", fmt::format("'{}'", part));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::vector<double> parse_wavelengths(const std::string& text, const std::string& option) {
  if (text == "published") return published_wavelengths();
  const auto parts = split(text, ':');
  if (parts.size() == 3) {
    const auto first = parse_double(parts[0]);
    const auto step = parse_double(parts[1]);
    const auto count = parse_int(parts[2]);
    if (!first || !step || !count || *step <= 0 || *count < 1 || *count > 100000) {
      throw InputError(option, "", "FIRST:STEP:COUNT such as 400:10:31", fmt::format("'{}'", text));
    }
    return even_wavelengths(*first, *step, static_cast<int>(*count));
  }
  return parse_numbers(text, option);
}

}  // namespace snapcube
