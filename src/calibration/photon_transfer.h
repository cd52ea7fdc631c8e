#pragma once
// Photon transfer: electrons arrive as Poisson says, so that the variance of a count grows with the light by 1/gain.
//
//   variance = signal/gain + (read_noise/gain)² (+ 1/12 of rounding)            counts²; gain in electrons a count

#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/calibration.h>

namespace snapcube {

/// Signal and variance of frames of one exposure, from the differences of those that follow each other. Pixels that are
/// not good, or full in either, are left out. `dark` has the counts without light.
ExposureLevel exposure_level(const std::vector<Image>& frames, const Image& dark, const Image& good, double saturation,
                             const std::string& exposure);

struct PhotonTransfer {
  double gain = 0;        ///< electrons a count
  double gain_error = 0;  ///< standard error
  double read_noise = 0;  ///< electrons
};

/// The straight line through the levels, each weighed by what its variance is known to, and through the dark frames'
/// variance where that is known (not 0). Levels of which pixels are full, or whose variance falls below the line as it
/// does towards a full well, are left out, and marked so. Throws InputError for fewer than two usable levels.
PhotonTransfer photon_transfer(std::vector<ExposureLevel>& levels, double dark_variance, double dark_pixels,
                               bool rounded, const std::string& source);

}  // namespace snapcube
