#pragma once
/// From radiance to reflectance, by what a white target gives under the same lamp in the same camera.
///
///   R[b] = ρ · L[b] / W[b]
///
/// L is a cube, W[b] the target's value in band b, in the same units, ρ the target's own reflectance.
///
/// Thread safety: several threads may use one white reference.

#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

class WhiteReference {
 public:
  /// W is the mean over a region of a cube that shows the target; without a region over all of it. Throws InputError
  /// for a region that is not inside, for a reflectance that is not above 0, and for a target that is dark in some band
  /// (below a thousandth of its brightest): nobody knows the reflectance there. `source` names the target.
  explicit WhiteReference(const Cube& target, const std::optional<Region>& region = std::nullopt,
                          double reflectance = 1, const std::string& source = "white reference");
  /// The same of given values, one a band, with or without wavelengths: band gains of a camera file, a lamp's spectrum.
  WhiteReference(std::vector<double> values, std::vector<double> wavelengths, double reflectance = 1,
                 const std::string& source = "white reference");

  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& wavelengths() const { return wavelengths_; }

  /// What each band of a cube is to be multiplied by. Where wavelengths differ, W is taken between its neighbours.
  /// Throws InputError for wavelengths beyond the target's, and for another number of bands where wavelengths are not
  /// known.
  std::vector<double> factors(const Cube& cube) const;
  void apply(Cube& cube) const;

 private:
  void check() const;
  double at(double wavelength) const;

  std::vector<double> values_;
  std::vector<double> wavelengths_;
  double reflectance_;
  std::string source_;
};

}  // namespace snapcube
