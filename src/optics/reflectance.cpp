#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <snapcube/error.h>
#include <snapcube/reflectance.h>

namespace snapcube {

namespace {

/// Of its brightest band; what is darker is noise.
constexpr double kDark = 1e-3;

std::vector<double> band_means(const Cube& cube) {
  std::vector<double> means;
  for (int b = 0; b < cube.bands(); ++b) {
    double sum = 0;
    const float* values = cube.band(b);
    for (std::size_t i = 0; i < cube.band_size(); ++i) sum += values[i];
    means.push_back(sum / static_cast<double>(cube.band_size()));
  }
  return means;
}

}  // namespace

WhiteReference::WhiteReference(const Cube& target, const std::optional<Region>& region, double reflectance,
                               const std::string& source)
    : values_(band_means(region ? crop(target, *region) : target)),
      wavelengths_(target.wavelengths),
      reflectance_(reflectance),
      source_(source) {
  check();
}

WhiteReference::WhiteReference(std::vector<double> values, std::vector<double> wavelengths, double reflectance,
                               const std::string& source)
    : values_(std::move(values)), wavelengths_(std::move(wavelengths)), reflectance_(reflectance), source_(source) {
  check();
}

void WhiteReference::check() const {
  if (!(reflectance_ > 0) || !std::isfinite(reflectance_)) {
    throw InputError(source_, "reflectance", "a number above 0", fmt::format("{:g}", reflectance_));
  }
  if (values_.empty()) throw InputError(source_, "", "at least one band", "none");
  if (!wavelengths_.empty() && wavelengths_.size() != values_.size()) {
    throw InputError(source_, "wavelengths", fmt::format("one for each of {} bands", values_.size()),
                     std::to_string(wavelengths_.size()));
  }
  const double most = *std::ranges::max_element(values_);
  std::vector<std::string> dark;
  for (std::size_t b = 0; b < values_.size(); ++b) {
    if (values_[b] > 0 && values_[b] >= kDark * most) continue;
    dark.push_back(wavelengths_.empty() ? fmt::format("band {}", b + 1) : fmt::format("{:g} nm", wavelengths_[b]));
  }
  if (dark.empty()) return;
  const std::size_t told = std::min<std::size_t>(dark.size(), 5);
  throw InputError(
      source_, "white target", "light in every band",
      fmt::format("next to none at {}{}", fmt::join(dark.begin(), dark.begin() + static_cast<long>(told), ", "),
                  told < dark.size() ? fmt::format(" and {} more", dark.size() - told) : ""));
}

/// Between the two nearest.
double WhiteReference::at(double wavelength) const {
  double below = -1;
  double above = -1;
  std::size_t low = 0;
  std::size_t high = 0;
  constexpr double kSame = 1e-6;  // nm, for what was rounded on its way through files
  for (std::size_t b = 0; b < wavelengths_.size(); ++b) {
    const double w = wavelengths_[b];
    if (w <= wavelength + kSame && (below < 0 || w > below)) below = w, low = b;
    if (w >= wavelength - kSame && (above < 0 || w < above)) above = w, high = b;
  }
  if (below < 0 || above < 0) {
    const auto [first, last] = std::ranges::minmax(wavelengths_);
    throw InputError(source_, "wavelengths", fmt::format("a range with {:g} nm in it", wavelength),
                     fmt::format("{:g} … {:g} nm", first, last));
  }
  const double share = above > below ? (wavelength - below) / (above - below) : 0;
  return std::lerp(values_[low], values_[high], share);
}

std::vector<double> WhiteReference::factors(const Cube& cube) const {
  const auto bands = static_cast<std::size_t>(cube.bands());
  const bool by_wavelength = !wavelengths_.empty() && cube.wavelengths.size() == bands;
  if (!by_wavelength && values_.size() != bands) {
    throw InputError(source_, "bands", fmt::format("{}, as the cube has (or wavelengths of both)", bands),
                     std::to_string(values_.size()));
  }
  std::vector<double> result;
  for (std::size_t b = 0; b < bands; ++b) {
    result.push_back(reflectance_ / (by_wavelength ? at(cube.wavelengths[b]) : values_[b]));
  }
  return result;
}

void WhiteReference::apply(Cube& cube) const {
  const std::vector<double> by = factors(cube);
  for (int b = 0; b < cube.bands(); ++b) {
    const auto factor = static_cast<float>(by[static_cast<std::size_t>(b)]);
    float* values = cube.band(b);
    for (std::size_t i = 0; i < cube.band_size(); ++i) values[i] *= factor;
  }
}

}  // namespace snapcube
