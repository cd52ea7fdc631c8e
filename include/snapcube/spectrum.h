#pragma once
/// Wavelength grids and resampling between them.
///
/// Thread safety: any thread may call these functions at any time.

#include <span>
#include <string>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// The published centres of the 28 bands, 453.5 … 648 nm.
const std::vector<double>& published_wavelengths();

/// first, first+step, … (count numbers).
std::vector<double> even_wavelengths(double first, double step, int count);

enum class Interpolation {
  linear,    ///< between the two neighbours
  monotone,  ///< cubic without overshoot (slopes by Fritsch and Butland, 1984)
};

/// The cube at other wavelengths. Throws InputError when the cube has no wavelengths, when they do not
/// ascend, or when a wanted one lies outside the cube's range; the message names both ranges.
/// `source` is the name used in messages.
Cube resample(const Cube& cube, std::span<const double> wavelengths,
              Interpolation interpolation = Interpolation::linear, const std::string& source = "cube");

}  // namespace snapcube
