#pragma once
// What has drifted in a camera, from ordinary captures alone: the search (refine_search.h), and what the second opinion
// (refine_prediction.h) says of each parameter that it found.

#include <string>
#include <vector>

#include "calibration/refine_search.h"

namespace snapcube {

enum class DriftVerdict {
  not_asked,
  found,      ///< the captures tell that it has changed
  unchanged,  ///< the captures tell that it has not, as far as they can
  untold,     ///< the captures cannot tell it
  refuted,    ///< found, but unseen pixels are predicted as well without it
};
/// "found", "unchanged", "cannot be told", …
std::string verdict_text(DriftVerdict verdict);

struct RefinedParameter {
  DriftVerdict verdict = DriftVerdict::not_asked;
  double value = 0;       ///< the camera's from now on
  double deviation = 0;   ///< standard deviation; infinite where nothing depends on it
  bool at_limit = false;  ///< the end of the range of the search: it may be more
  /// Error of unseen pixels with all that was found but this; 0 where it was not asked.
  double without = 0;
};

struct RefinedCamera {
  Drift drift;
  std::array<RefinedParameter, kDriftParameters> parameters;
  double smooth_before = 0;  ///< share of the light that smooth windows leave, see DriftSearch
  double smooth_after = 0;
  double unseen_before = 0;  ///< error of unseen pixels, see UnseenPixels
  double unseen_after = 0;
  std::size_t windows = 0;
};

/// Frames have the size of the camera's detector. `wanted`: indices of drift_parameters(). `report` takes the share
/// that is done; it may throw.
RefinedCamera refine_camera(const CameraFile& camera, const std::vector<PreparedFrame>& frames,
                            const std::vector<std::size_t>& wanted, const RefineReport& report = {});

}  // namespace snapcube
