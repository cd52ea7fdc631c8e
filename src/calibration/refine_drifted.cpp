#include "calibration/refine_drifted.h"

#include <algorithm>
#include <cmath>

#include "calibration/refine_prediction.h"

namespace snapcube {

namespace {

/// Errors of unseen pixels that differ by less than this share say nothing.
constexpr double kSame = 0.001;
/// The search is about two thirds of the work.
constexpr double kSearchShare = 0.6;

Drift with(const Drift& drift, std::size_t k, double value) {
  DriftValues values = drift.values();
  values[k] = value;
  return Drift::of(values);
}

}  // namespace

std::string verdict_text(DriftVerdict verdict) {
  switch (verdict) {
    case DriftVerdict::found:
      return "found";
    case DriftVerdict::unchanged:
      return "unchanged";
    case DriftVerdict::untold:
      return "cannot be told";
    case DriftVerdict::refuted:
      return "not confirmed";
    default:
      return "not asked";
  }
}

RefinedCamera refine_camera(const CameraFile& camera, const std::vector<PreparedFrame>& frames,
                            const std::vector<std::size_t>& wanted, const RefineReport& report) {
  const auto tell = [&](double done) {
    if (report) report(done);
  };
  const DriftSearch search = search_drift(camera, frames, wanted, [&](double done) { tell(kSearchShare * done); });
  RefinedCamera result;
  result.windows = search.windows;
  result.smooth_before = search.before;
  result.smooth_after = search.after;
  const DriftValues nominal = Drift{}.values();
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    result.parameters[k].value = nominal[k];
    result.parameters[k].deviation = search.deviation[k];
  }
  for (const std::size_t k : wanted) result.parameters[k].verdict = DriftVerdict::unchanged;
  for (const std::size_t k : search.untold) result.parameters[k].verdict = DriftVerdict::untold;

  // What is found has to prove itself: is it missed when it is put back?
  const UnseenPixels unseen(camera, frames);
  double done = 0;
  const double trials = 2 + static_cast<double>(search.told.size());
  const auto error = [&](const Drift& drift) {
    tell(kSearchShare + (1 - kSearchShare) * std::min(1.0, done++ / trials));
    return unseen.error(drift);
  };
  result.unseen_before = error(Drift{});
  result.drift = search.drift;
  result.unseen_after = error(search.drift);
  // The least certain goes first, so that it cannot take the place of a certain one.
  std::vector<std::size_t> order = search.told;
  const DriftValues found = search.drift.values();
  std::ranges::stable_sort(order, {},
                           [&](std::size_t k) { return std::fabs(found[k] - nominal[k]) / search.deviation[k]; });
  for (const std::size_t k : order) {
    RefinedParameter& parameter = result.parameters[k];
    const Drift back = with(result.drift, k, nominal[k]);
    parameter.without = error(back);
    parameter.verdict = DriftVerdict::found;
    if (parameter.without > result.unseen_after * (1 + kSame)) continue;
    parameter.verdict = DriftVerdict::refuted;
    result.drift = back;
    result.unseen_after = parameter.without;
  }
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    result.parameters[k].value = result.drift.values()[k];
    const DriftParameter& range = drift_parameters()[k];
    const double value = result.parameters[k].value;
    result.parameters[k].at_limit = value <= range.least || value >= range.most;
  }
  tell(1);
  return result;
}

}  // namespace snapcube
