#pragma once
// The frames of a bench as light above black, and what they tell of the detector.

#include <functional>
#include <string>
#include <vector>

#include <snapcube/calibration.h>

#include "calibration/dark_frames.h"

namespace snapcube {

/// All frames of a calibration, read and checked.
struct DetectorFrames {
  DetectorFinding finding;
  Image dark;                     ///< counts without light
  Image bad;                      ///< 1: hot or dead
  bool counts = true;             ///< all files held whole numbers
  std::vector<Image> captures;    ///< above black
  std::vector<Image> good;        ///< of each capture: 0 where bad or full
  std::vector<double> saturated;  ///< of each capture: share of the lit pixels
  Image white;                    ///< above black; may be empty
  Image white_good;
  Image picture;  ///< of the mask without disperser, above black; may be empty
};

/// Throws InputError for frames of different sizes, captures and white targets that are not brighter than the dark
/// frames, captures that are saturated, and exposures that tell no gain. `told`: the share that is done.
DetectorFrames read_detector_frames(const CalibrationInput& input, const CalibrationOptions& options,
                                    const std::function<void(double)>& told);

/// Pixels that count less than half of their surroundings under even light.
Image dead_pixels(const Image& light, const Image& good, double share);

}  // namespace snapcube
