#pragma once
// A camera with its drift: where the light of each band goes, and the camera file that says so.

#include <vector>

#include <snapcube/camera_file.h>

#include "calibration/refine_drift.h"
#include "calibration/refine_mask.h"

namespace snapcube {

/// Positions o' and v of all bands.
struct DriftedPositions {
  std::vector<double> along;
  std::vector<double> across;
};
DriftedPositions drifted_positions(const std::vector<double>& positions, const Drift& drift);

/// From a place in the drifted mask to that in the mask at hand: c + R(−turn)·(p − c − (down, right) − shift).
/// The line goes along a row of the detector, from column `column` on.
MaskLine line_in_mask(const Image& mask, const Drift& drift, double row, double column, double shift_down,
                      double shift_right);

/// The camera with the drift. Its detector stays `detector_length` long along the dispersion: where the positions
/// span more or fewer whole pixels than before, its mask is so much narrower or wider (its edge is repeated). The place
/// of the first band is the origin, as in every camera, so that its cubes may lie a fraction of a pixel beside those of
/// the camera at hand; with an angle to the rows, bands also lie `across` beside one another.
CameraFile drifted_camera(const CameraFile& camera, const Drift& drift);

}  // namespace snapcube
