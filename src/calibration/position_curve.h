#pragma once
// A smooth curve through positions over wavelengths, of which some may be wrong.

#include <optional>
#include <vector>

namespace snapcube {

struct PositionCurve {
  /// Σ c_k t^k, t = (2λ − first − last)/(last − first), as camera files have it.
  std::vector<double> coefficients;
  double first = 0;  ///< nm
  double last = 0;
  std::vector<bool> outlier;
  double rms = 0;  ///< of the residuals without outliers
  double largest = 0;
  double left_out_error = 0;  ///< rms of the errors where a sample is predicted by the others

  double at(double wavelength) const;
};

/// Fits by least squares with Tukey's weights, so that a wrong sample neither bends the curve nor is believed. Outliers
/// are further off than five deviations, and 0.15 pixels. Degree: the smallest whose error at left-out samples is at
/// most a tenth above the least, up to 6 and to two below the number of samples. At least four samples.
PositionCurve fit_positions(const std::vector<double>& wavelengths, const std::vector<double>& positions,
                            std::optional<int> degree);

/// The least-squares polynomial of that degree, of the samples that are no outliers.
PositionCurve fit_plain(const std::vector<double>& wavelengths, const std::vector<double>& values,
                        const std::vector<bool>& outlier, int degree);

}  // namespace snapcube
