#include "calibration/refine_search.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "calibration/refine_mask.h"

namespace snapcube {

namespace {

constexpr std::size_t kRight = 0;
constexpr std::size_t kDown = 1;
constexpr std::size_t kTurn = 2;
constexpr std::size_t kBlur = 6;
constexpr std::size_t kContrast = 7;

constexpr double kMiddle = 60;  // pixels; half a degree moves no pixel of it by more than half of one
constexpr std::size_t kFewWindows = 120;
constexpr std::size_t kMostWindows = 800;
constexpr int kMostSteps = 15;
/// What the scene's own detail adds to blur and contrast, whatever the number of windows: simulated scenes were off by
/// up to twice as much.
constexpr double kDetail = 0.05;
constexpr int kWholePixels = 3;
constexpr std::size_t kStarts = 3;  // of the whole-pixel shifts, those that are tried further

bool contains(const std::vector<std::size_t>& list, std::size_t k) { return std::ranges::find(list, k) != list.end(); }

class Search {
 public:
  Search(const CameraFile& camera, const std::vector<PreparedFrame>& frames, const RefineReport& report)
      : fit_(camera, frames), report_(report) {
    const Image& mask = camera.masks.empty() ? camera.mask : first_;
    if (!camera.masks.empty()) {
      first_ = Image(camera.masks.height(), camera.masks.width());
      std::copy_n(camera.masks.band(0), first_.size(), first_.data());
    }
    for (std::size_t k = 0; k < kDriftParameters; ++k) {
      least_[k] = drift_parameters()[k].least;
      most_[k] = drift_parameters()[k].most;
    }
    most_[kContrast] = std::min(most_[kContrast], most_contrast(mask));
    // A measured mask is blurred already, and may have been measured out of focus.
    if (reading_of(mask) == MaskReading::cubic) least_[kBlur] = -0.15;
  }

  const LocalFit& fit() const { return fit_; }

  void report(double done) const {
    if (report_) report_(done);
  }

  /// Shifts of whole pixels, best first.
  std::vector<Drift> coarse(const std::vector<FitWindow>& windows, bool right, bool down) const {
    std::vector<std::pair<double, Drift>> tried;
    const int reach_right = right ? kWholePixels : 0;
    const int reach_down = down ? kWholePixels : 0;
    for (int y = -reach_down; y <= reach_down; ++y) {
      for (int x = -reach_right; x <= reach_right; ++x) {
        Drift drift;
        drift.right = x;
        drift.down = y;
        tried.emplace_back(fit_.objective(windows, drift), drift);
      }
      report(0.15 * (y + reach_down + 1) / (2 * reach_down + 1));
    }
    std::ranges::stable_sort(tried, {}, [](const auto& t) { return t.first; });
    std::vector<Drift> best;
    for (std::size_t i = 0; i < std::min(kStarts, tried.size()); ++i) best.push_back(tried[i].second);
    return best;
  }

  struct Found {
    Drift drift;
    double objective = 0;
    DriftValues deviation{};
  };

  /// Levenberg–Marquardt from `start` over `free` parameters; steps stay in the ranges. `from` … `to`: the share of the
  /// work that this is.
  Found descend(const std::vector<FitWindow>& windows, const Drift& start, const std::vector<std::size_t>& free,
                double from, double to) const {
    DriftValues at = start.values();
    LocalFitValue value = fit_.evaluate(windows, start, free);
    double damping = 1e-3;
    for (int step = 0; step < kMostSteps; ++step) {
      report(from + (to - from) * step / kMostSteps);
      bool better = false;
      double gained = 0;
      for (int attempt = 0; attempt < 5 && !better; ++attempt) {
        const DriftValues next = stepped(at, value, free, damping);
        const LocalFitValue then = fit_.evaluate(windows, Drift::of(next), {});
        better = then.objective < value.objective;
        if (better) {
          gained = value.objective - then.objective;
          at = next;
          damping = std::max(damping / 10, 1e-6);
        } else {
          damping = std::max(damping, 1e-3) * 10;
        }
      }
      if (!better) break;
      value = fit_.evaluate(windows, Drift::of(at), free);
      if (gained < 0.05) break;
    }
    return {Drift::of(at), value.objective, deviations(value, free)};
  }

 private:
  /// The next point; parameters at the end of their range that would leave it stay.
  DriftValues stepped(const DriftValues& at, const LocalFitValue& value, const std::vector<std::size_t>& free,
                      double damping) const {
    const auto n = static_cast<Eigen::Index>(free.size());
    const Eigen::Map<const Eigen::VectorXd> gradient(value.gradient.data(), n);
    const Eigen::Map<const Eigen::MatrixXd> curvature(value.curvature.data(), n, n);
    Eigen::MatrixXd damped = curvature;
    Eigen::VectorXd slope = gradient;
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t k = free[static_cast<std::size_t>(i)];
      const bool stuck = (at[k] <= least_[k] && gradient(i) > 0) || (at[k] >= most_[k] && gradient(i) < 0);
      if (stuck) {
        damped.row(i).setZero();
        damped.col(i).setZero();
        slope(i) = 0;
      }
      damped(i, i) += damping * damped(i, i) + 1e-9;
      if (stuck) damped(i, i) = 1;
    }
    const Eigen::VectorXd step = damped.ldlt().solve(-slope);
    DriftValues next = at;
    for (Eigen::Index i = 0; i < n; ++i) {
      constexpr double kLongest = 6;  // steps of the parameter
      const std::size_t k = free[static_cast<std::size_t>(i)];
      next[k] += std::clamp(step(i), -kLongest, kLongest) * drift_parameters()[k].step;
      next[k] = std::clamp(next[k], least_[k], most_[k]);
    }
    return next;
  }

  /// H⁻¹ S H⁻¹: curvature H, disagreement S.
  static DriftValues deviations(const LocalFitValue& value, const std::vector<std::size_t>& free) {
    const auto n = static_cast<Eigen::Index>(free.size());
    const Eigen::Map<const Eigen::MatrixXd> curvature(value.curvature.data(), n, n);
    const Eigen::Map<const Eigen::MatrixXd> scatter(value.scatter.data(), n, n);
    // Parameters without any effect would make all others infinite.
    Eigen::MatrixXd sound = curvature;
    for (Eigen::Index i = 0; i < n; ++i) sound(i, i) += 1e-6;
    const Eigen::MatrixXd inverse = sound.ldlt().solve(Eigen::MatrixXd::Identity(n, n));
    const Eigen::MatrixXd covariance = inverse * scatter * inverse;
    DriftValues result{};
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::size_t k = free[static_cast<std::size_t>(i)];
      // Of few groups, disagreement alone may be small by chance.
      const double variance = std::max(covariance(i, i), inverse(i, i));
      const double detail = k == kBlur || k == kContrast ? kDetail : 0;
      result[k] = curvature(i, i) > 1e-3 && std::isfinite(variance)
                      ? std::hypot(std::sqrt(variance) * drift_parameters()[k].step, detail)
                      : std::numeric_limits<double>::infinity();
    }
    return result;
  }

  LocalFit fit_;
  const RefineReport& report_;
  Image first_;
  DriftValues least_{};
  DriftValues most_{};
};

std::vector<std::size_t> of_both(const std::vector<std::size_t>& list, const std::vector<std::size_t>& wanted) {
  std::vector<std::size_t> result;
  for (const std::size_t k : list) {
    if (contains(wanted, k)) result.push_back(k);
  }
  return result;
}

double share(const LocalFit& fit, const std::vector<FitWindow>& windows, const Drift& drift) {
  const LocalFitValue value = fit.evaluate(windows, drift, {});
  return value.light > 0 ? std::sqrt(value.left / value.light) : 0.0;
}

}  // namespace

DriftSearch search_drift(const CameraFile& camera, const std::vector<PreparedFrame>& frames,
                         const std::vector<std::size_t>& wanted, const RefineReport& report) {
  const Search search(camera, frames, report);
  DriftSearch result;
  const std::vector<FitWindow> middle = search.fit().windows(kMiddle, kFewWindows);
  const std::vector<FitWindow> all = search.fit().windows(std::numeric_limits<double>::infinity(), kMostWindows);
  result.windows = all.size();
  if (middle.empty() || all.empty()) {
    result.untold = wanted;
    return result;
  }

  const std::vector<std::size_t> rigid = of_both({kRight, kDown, kTurn}, wanted);
  Search::Found best{.drift = {}, .objective = std::numeric_limits<double>::infinity()};
  double done = 0.15;
  for (const Drift& start : search.coarse(middle, contains(wanted, kRight), contains(wanted, kDown))) {
    const Search::Found found = search.descend(middle, start, rigid, done, done + 0.05);
    if (found.objective < best.objective) best = found;
    done += 0.05;
  }
  // Farther out a small rotation is a large shift: it is made exact where it is small first.
  best = search.descend(search.fit().windows(2.5 * kMiddle, kMostWindows / 2), best.drift, rigid, 0.3, 0.4);

  std::vector<std::size_t> free = wanted;
  for (done = 0.4; !free.empty(); done = std::min(0.9, done + 0.3)) {
    best = search.descend(all, best.drift, free, done, std::min(1.0, done + 0.3));
    for (const std::size_t k : free) result.deviation[k] = best.deviation[k];
    // The one that is told least would only disturb the others.
    const auto worst = std::ranges::max_element(
        free, {}, [&](std::size_t k) { return best.deviation[k] / drift_parameters()[k].useful; });
    if (best.deviation[*worst] <= drift_parameters()[*worst].useful) break;
    result.untold.push_back(*worst);
    DriftValues values = best.drift.values();
    values[*worst] = Drift{}.values()[*worst];
    best.drift = Drift::of(values);
    free.erase(worst);
  }
  // What lies within its own uncertainty is left as it was, and the others are found without it.
  constexpr double kCertain = 2;
  std::vector<std::size_t> changed;
  DriftValues values = best.drift.values();
  const DriftValues nominal = Drift{}.values();
  for (const std::size_t k : free) {
    if (std::fabs(values[k] - nominal[k]) > kCertain * best.deviation[k]) {
      changed.push_back(k);
    } else {
      values[k] = nominal[k];
    }
  }
  best.drift = Drift::of(values);
  if (!changed.empty() && changed.size() < free.size()) best = search.descend(all, best.drift, changed, 0.9, 1);
  for (const std::size_t k : changed) result.deviation[k] = best.deviation[k];
  std::ranges::sort(result.untold);
  result.told = changed;
  result.drift = best.drift;
  result.before = share(search.fit(), all, Drift{});
  result.after = share(search.fit(), all, result.drift);
  report ? report(1) : void();
  return result;
}

}  // namespace snapcube
