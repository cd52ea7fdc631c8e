#pragma once
// The search for the drift that explains captures best: whole pixels of shift first, on the middle of the frame, then
// Gauss–Newton steps from the middle outward, with more and more parameters.

#include <array>
#include <functional>
#include <vector>

#include "calibration/refine_local.h"

namespace snapcube {

struct DriftSearch {
  Drift drift;
  /// Standard deviation of each parameter, from how the objective is bent and how much parts of the captures disagree;
  /// infinite where nothing depends on it. 0 for those that were not asked for.
  DriftValues deviation{};
  std::vector<std::size_t> told;    ///< that the captures tell to have changed
  std::vector<std::size_t> untold;  ///< that the captures cannot tell; they stay as they were
  double before = 0;                ///< share of the light in the windows that smooth scenes leave, with the old camera
  double after = 0;                 ///< with the drift
  std::size_t windows = 0;
};

/// Takes the share that is done; may throw.
using RefineReport = std::function<void(double)>;

/// The best drift within the ranges of drift_parameters(), of the `wanted` parameters.
DriftSearch search_drift(const CameraFile& camera, const std::vector<PreparedFrame>& frames,
                         const std::vector<std::size_t>& wanted, const RefineReport& report = {});

}  // namespace snapcube
