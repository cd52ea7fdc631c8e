#include "calibration/position_curve.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace snapcube {

namespace {

constexpr int kMostDegree = 6;
constexpr int kRounds = 30;
/// Nearer than this no sample is an outlier, however well the others lie.
constexpr double kLeastOutlier = 0.15;
constexpr double kOutlierDeviations = 5;
/// Registration is hardly ever better than this; scatter below it is not believed.
constexpr double kLeastDeviation = 0.005;

struct Samples {
  std::vector<double> t;
  std::vector<double> y;
  std::size_t size() const { return t.size(); }
};

double value(const Eigen::VectorXd& c, double t) {
  double sum = 0;
  for (Eigen::Index k = c.size(); k-- > 0;) sum = sum * t + c(k);
  return sum;
}

/// Weighted; a weight of 0 leaves a sample out.
Eigen::VectorXd solve(const Samples& samples, const std::vector<double>& weights, int degree) {
  const auto n = static_cast<Eigen::Index>(samples.size());
  Eigen::MatrixXd matrix(n, degree + 1);
  Eigen::VectorXd side(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double power = std::sqrt(weights[k]);
    side(i) = power * samples.y[k];
    for (int d = 0; d <= degree; ++d) {
      matrix(i, d) = power;
      power *= samples.t[k];
    }
  }
  return matrix.colPivHouseholderQr().solve(side);
}

struct Robust {
  Eigen::VectorXd coefficients;
  std::vector<double> weights;
  double deviation = 0;
};

/// Starts from the least sum of absolute residuals, whose breakdown a wild sample does not cause; then Tukey's weights.
Robust robust_fit(const Samples& samples, int degree) {
  const std::size_t n = samples.size();
  Robust result{{}, std::vector<double>(n, 1.0), 0};
  std::vector<double> off(n);
  for (int round = 0; round < 2 * kRounds; ++round) {
    result.coefficients = solve(samples, result.weights, degree);
    for (std::size_t i = 0; i < n; ++i) off[i] = std::fabs(samples.y[i] - value(result.coefficients, samples.t[i]));
    // The median of the residuals, more of them than the fit can make vanish.
    std::vector<double> sorted = off;
    std::ranges::sort(sorted);
    const std::size_t index = std::min(n - 1, (n + static_cast<std::size_t>(degree) + 1) / 2);
    result.deviation = std::max(kLeastDeviation, 1.4826 * sorted[index]);
    for (std::size_t i = 0; i < n; ++i) {
      if (round < kRounds) {
        result.weights[i] = 1 / std::max(off[i], 1e-4);
        continue;
      }
      const double u = off[i] / (kOutlierDeviations * result.deviation);
      result.weights[i] = u < 1 ? (1 - u * u) * (1 - u * u) : 0;
    }
    // Too few would be left to say anything.
    const auto kept = std::ranges::count_if(result.weights, [](double w) { return w > 0; });
    if (kept < degree + 2) std::ranges::fill(result.weights, 1.0);
  }
  return result;
}

double rms(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

/// Error at each sample that a fit without it makes, of those in `usable`.
std::vector<double> left_out_errors(const Samples& samples, const std::vector<bool>& usable, int degree) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    // At both ends it would be extrapolation, which the camera never does.
    if (!usable[i] || i == 0 || i + 1 == samples.size()) continue;
    std::vector<double> weights(samples.size());
    for (std::size_t k = 0; k < weights.size(); ++k) weights[k] = usable[k] && k != i ? 1 : 0;
    errors.push_back(samples.y[i] - value(solve(samples, weights, degree), samples.t[i]));
  }
  return errors;
}

Samples scaled(const std::vector<double>& wavelengths, const std::vector<double>& values, PositionCurve& curve) {
  const auto [first, last] = std::ranges::minmax(wavelengths);
  curve.first = first;
  curve.last = last;
  Samples samples{{}, values};
  for (const double w : wavelengths) samples.t.push_back((2 * w - first - last) / (last - first));
  return samples;
}

void finish(PositionCurve& curve, const Samples& samples, int degree) {
  std::vector<double> weights;
  for (const bool outlier : curve.outlier) weights.push_back(outlier ? 0 : 1);
  const Eigen::VectorXd c = solve(samples, weights, degree);
  curve.coefficients.assign(c.data(), c.data() + c.size());
  std::vector<double> off;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!curve.outlier[i]) off.push_back(samples.y[i] - value(c, samples.t[i]));
  }
  curve.rms = rms(off);
  for (const double r : off) curve.largest = std::max(curve.largest, std::fabs(r));
}

}  // namespace

double PositionCurve::at(double wavelength) const {
  const double t = (2 * wavelength - first - last) / (last - first);
  double sum = 0;
  for (std::size_t k = coefficients.size(); k-- > 0;) sum = sum * t + coefficients[k];
  return sum;
}

PositionCurve fit_plain(const std::vector<double>& wavelengths, const std::vector<double>& values,
                        const std::vector<bool>& outlier, int degree) {
  PositionCurve curve;
  const Samples samples = scaled(wavelengths, values, curve);
  curve.outlier = outlier;
  const auto good = static_cast<int>(std::ranges::count(outlier, false));
  finish(curve, samples, std::min(degree, std::max(0, good - 1)));
  return curve;
}

PositionCurve fit_positions(const std::vector<double>& wavelengths, const std::vector<double>& positions,
                            std::optional<int> wanted) {
  PositionCurve curve;
  const Samples samples = scaled(wavelengths, positions, curve);
  const int most = std::min(kMostDegree, static_cast<int>(samples.size()) - 2);
  const int first = wanted ? std::clamp(*wanted, 1, most) : 1;
  const int last = wanted ? first : most;

  // Outliers of the degree that leaves least: a straight line would take the ends of a prism's curve for outliers.
  std::vector<Robust> fits;
  for (int degree = first; degree <= last; ++degree) fits.push_back(robust_fit(samples, degree));
  const auto judged = [&](const Robust& fit) {
    std::vector<bool> outlier;
    const double limit = std::max(kLeastOutlier, kOutlierDeviations * fit.deviation);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      outlier.push_back(std::fabs(samples.y[i] - value(fit.coefficients, samples.t[i])) > limit);
    }
    return outlier;
  };
  std::vector<double> errors;
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const std::vector<bool> outlier = judged(fits[i]);
    std::vector<bool> usable;
    for (const bool o : outlier) usable.push_back(!o);
    const int degree = first + static_cast<int>(i);
    const bool enough = std::ranges::count(usable, true) >= degree + 2;
    // The robust error: what left-out samples typically miss by, outliers among them counted as far off.
    std::vector<double> off;
    for (const double e : left_out_errors(samples, usable, degree)) off.push_back(std::fabs(e));
    errors.push_back(enough && !off.empty() ? std::max(rms(off), 0.2 * kLeastDeviation) *
                                                  (1 + static_cast<double>(std::ranges::count(outlier, true)))
                                            : 1e30);
  }
  const double least = std::ranges::min(errors);
  std::size_t chosen = 0;
  while (errors[chosen] > 1.1 * least) ++chosen;
  curve.outlier = judged(fits[chosen]);
  const int degree = first + static_cast<int>(chosen);
  finish(curve, samples, degree);
  std::vector<bool> usable;
  for (const bool o : curve.outlier) usable.push_back(!o);
  curve.left_out_error = rms(left_out_errors(samples, usable, degree));
  return curve;
}

}  // namespace snapcube
