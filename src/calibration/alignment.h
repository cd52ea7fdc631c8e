#pragma once
// Where each capture of a mask lies: neighbours against each other first, then each against the mean of all.

#include <functional>
#include <vector>

#include <snapcube/array.h>

#include "calibration/similarity.h"

namespace snapcube {

struct Alignment {
  /// Of each capture against the one in the middle, about the centre of the frame.
  std::vector<Similarity> motions;
  /// Of each capture with the mean of all.
  std::vector<double> correlations;
  /// The mean of all patterns, as the capture in the middle has it.
  Image mean;
  Place centre;
  std::size_t middle = 0;
};

/// Of each capture but the last against the next, about the centre of the frame.
struct Neighbours {
  std::vector<Similarity> motions;
  std::vector<double> correlations;
};

/// Of images in ascending wavelengths: patterns of captures (slow shading taken off, bad pixels filled), smoothed for
/// registration. `told` is called with the share of the work that is done.
Neighbours compare_neighbours(const std::vector<Image>& images, const std::function<void(double)>& told);
Alignment align_captures(const std::vector<Image>& images, const Neighbours& neighbours,
                         const std::function<void(double)>& told);

/// Both images of a registration are smoothed by so many pixels.
constexpr double kRegistrationSmoothing = 1.0;

}  // namespace snapcube
