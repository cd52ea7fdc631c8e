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

/// The camera with the drift. Its detector stays as large as it was: where the positions span more or fewer pixels than
/// before, its mask is so much narrower or wider (its edge is repeated).
///
/// With slope or curvature the positions are the nearest whole pixels, and the fraction is in the masks, one for each
/// band: a mask that was moved by a fraction keeps its contrast, while a Camera splits a band between two pixels, which
/// blurs mask and scene. The curve goes through the true positions. With an angle the masks are displaced across the
/// dispersion. The bands of a cube lie beside one another by as much.
CameraFile drifted_camera(const CameraFile& camera, const Drift& drift);

}  // namespace snapcube
