#pragma once
// Measured lamps, for scenes that were all taken under daylight.

#include <string>
#include <vector>

#include "base/random.h"

namespace snapcube {

class LampList {
 public:
  LampList() = default;
  /// Reads a table: a line `name,400,405,…` with wavelengths in nm, rising, then a line for each lamp; an empty value
  /// was not measured. Lamps that were not measured at all of `wavelengths` are left out. Throws InputError, naming
  /// file, line and column, and where no lamp is left.
  LampList(const std::string& path, const std::vector<double>& wavelengths);

  bool empty() const { return spectra_.empty(); }
  std::size_t size() const { return spectra_.size(); }
  const std::vector<float>& spectrum(std::size_t lamp) const { return spectra_[lamp]; }
  const std::string& name(std::size_t lamp) const { return names_[lamp]; }
  /// One of them.
  const std::vector<float>& draw(Random& random) const;

 private:
  /// Relative to a black body of 6500 K, the daylight of the published scenes; the largest value is 1.
  std::vector<std::vector<float>> spectra_;
  std::vector<std::string> names_;
};

}  // namespace snapcube
