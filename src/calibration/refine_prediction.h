#pragma once
// The second opinion on a drift. A cube that explains a capture proves little, since a cube can explain almost
// anything; one that was found without a tenth of the detector's pixels, and then tells what they measured, does.

#include <vector>

#include <snapcube/camera_file.h>
#include <snapcube/detector.h>

#include "calibration/refine_drift.h"

namespace snapcube {

class UnseenPixels {
 public:
  /// Works on a strip through the middle of the first captures, as wide as the dispersion needs and at most `lines`
  /// pixels across it. Refers to camera and frames.
  UnseenPixels(const CameraFile& camera, const std::vector<PreparedFrame>& frames, int lines = 128,
               std::size_t captures = 3);

  /// ‖y − Φx‖/‖y‖ of pixels that GAP-TV did not see, for the camera with this drift; the mean over the captures.
  double error(const Drift& drift) const;

 private:
  const CameraFile& camera_;
  std::vector<PreparedFrame> strips_;
  int first_ = 0;
  int lines_ = 0;
};

}  // namespace snapcube
