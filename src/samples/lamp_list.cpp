#include "samples/lamp_list.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/input_file.h"

namespace snapcube {

namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

/// Planck's law, to a factor; nm and kelvin.
double black_body(double wavelength, double kelvin) {
  const double metres = wavelength * 1e-9;
  return std::pow(metres * 1e6, -5) / std::expm1(1.4388e-2 / (metres * kelvin));
}

/// Between the two neighbours; nothing where one of them was not measured.
std::optional<double> interpolated(const std::vector<double>& at, const std::vector<std::optional<double>>& values,
                                   double wavelength) {
  const auto after = std::ranges::lower_bound(at, wavelength);
  if (after == at.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(after - at.begin());
  if (*after == wavelength) return values[i];
  if (i == 0 || !values[i - 1] || !values[i]) return std::nullopt;
  const double share = (wavelength - at[i - 1]) / (at[i] - at[i - 1]);
  return *values[i - 1] + share * (*values[i] - *values[i - 1]);
}

}  // namespace

LampList::LampList(const std::string& path, const std::vector<double>& wavelengths) {
  constexpr double kDaylight = 6500;
  const std::vector<std::byte> bytes = InputFile(path).rest(0, kMostBytes);
  const std::vector<std::string> lines = split({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, '\n');
  const auto place = [&](std::size_t line, std::size_t column) {
    return fmt::format("line {}, column {}", line + 1, column + 1);
  };
  std::vector<double> at;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    if (trim(lines[l]).empty()) continue;
    const std::vector<std::string> cells = split(lines[l], ',');
    std::vector<std::optional<double>> values;
    for (std::size_t c = 1; c < cells.size(); ++c) {
      const std::string& cell = cells[c];
      const bool heading = at.empty();
      if (cell.empty() && !heading) {
        values.push_back(std::nullopt);
        continue;
      }
      const auto number = parse_double(cell);
      if (!number || !std::isfinite(*number) || *number < 0) {
        throw InputError(path, place(l, c), heading ? "a wavelength in nm" : "a number of at least 0",
                         quoted_name(cell));
      }
      values.push_back(*number);
    }
    if (at.empty()) {
      for (const auto& value : values) {
        if (!at.empty() && *value <= at.back()) {
          throw InputError(path, place(l, at.size() + 1), "rising wavelengths",
                           fmt::format("{:g} after {:g}", *value, at.back()));
        }
        at.push_back(*value);
      }
      if (at.empty()) throw InputError(path, place(l, 0), "name, then wavelengths in nm", quoted_name(lines[l]));
      continue;
    }
    if (values.size() != at.size()) {
      throw InputError(path, fmt::format("line {}", l + 1), fmt::format("a name and {} values", at.size()),
                       fmt::format("{} values", values.size()));
    }
    std::vector<double> lamp;
    for (const double w : wavelengths) {
      const auto value = interpolated(at, values, w);
      if (!value) break;
      lamp.push_back(*value / black_body(w, kDaylight));
    }
    const double most = lamp.empty() ? 0 : *std::ranges::max_element(lamp);
    if (lamp.size() != wavelengths.size() || !(most > 0)) continue;
    std::vector<float>& spectrum = spectra_.emplace_back();
    for (const double v : lamp) spectrum.push_back(static_cast<float>(v / most));
    names_.push_back(cells[0]);
  }
  if (spectra_.empty()) {
    throw InputError(path, "", fmt::format("a lamp that was measured at all {} wavelengths", wavelengths.size()),
                     "none");
  }
}

const std::vector<float>& LampList::draw(Random& random) const {
  return spectra_[random.below(static_cast<std::uint32_t>(spectra_.size()))];
}

}  // namespace snapcube
