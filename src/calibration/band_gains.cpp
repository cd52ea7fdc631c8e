#include "calibration/band_gains.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace snapcube {

namespace {

constexpr int kRounds = 4;
constexpr int kShape = 6;  ///< 1, u, v, u², uv, v²

constexpr double kClearlyLess = 0.97;

/// Rows that take the gains of the bands that were seen to those of all: g = E g_seen.
Eigen::MatrixXd from_seen(const std::vector<double>& wavelengths, const std::vector<bool>& seen) {
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kNodes = 6;
  std::vector<std::size_t> nodes;
  for (std::size_t b = 0; b < seen.size(); ++b) {
    if (seen[b]) nodes.push_back(b);
  }
  const auto n = static_cast<Eigen::Index>(seen.size());
  if (nodes.size() < kFewest) return Eigen::MatrixXd::Identity(n, n);
  const std::size_t taken = std::min(nodes.size(), kNodes);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t b = 0; b < seen.size(); ++b) {
    std::vector<std::size_t> order(nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return std::fabs(wavelengths[nodes[i]] - wavelengths[b]); });
    // Lagrange's polynomial; of a band that was seen it is 1 at itself.
    for (std::size_t i = 0; i < taken; ++i) {
      const double at = wavelengths[nodes[order[i]]];
      double weight = 1;
      for (std::size_t k = 0; k < taken; ++k) {
        const double other = wavelengths[nodes[order[k]]];
        if (k != i) weight *= (wavelengths[b] - other) / (at - other);
      }
      result(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(order[i])) = weight;
    }
  }
  return result;
}

}  // namespace

namespace {

/// The least squares of one light on the target after another.
class Target {
 public:
  Target(const Image& white, const Image& good, const std::vector<Image>& bands, Eigen::MatrixXd spread,
         const std::vector<double>& noise)
      : noise_(noise),
        white_(white),
        good_(good),
        bands_(bands),
        spread_(std::move(spread)),
        light_(white.height(), white.width(), 1.0f) {}

  void fit_gains() {
    const auto n = static_cast<Eigen::Index>(bands_.size());
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd side = Eigen::VectorXd::Zero(n);
    Eigen::VectorXd row(n);
    for (std::size_t i = 0; i < white_.size(); ++i) {
      if (good_.data()[i] == 0) continue;
      for (Eigen::Index b = 0; b < n; ++b) {
        row(b) = static_cast<double>(light_.data()[i]) * bands_[static_cast<std::size_t>(b)].data()[i];
      }
      matrix.selfadjointView<Eigen::Lower>().rankUpdate(row);
      side += static_cast<double>(white_.data()[i]) * row;
    }
    Eigen::MatrixXd full = matrix.selfadjointView<Eigen::Lower>();
    double used = 0;
    for (std::size_t i = 0; i < white_.size(); ++i) {
      if (good_.data()[i] != 0) used += static_cast<double>(light_.data()[i]) * light_.data()[i];
    }
    for (Eigen::Index b = 0; b < n; ++b) full(b, b) -= used * noise_[static_cast<std::size_t>(b)];
    gains_ = spread_ * (spread_.transpose() * full * spread_).ldlt().solve(spread_.transpose() * side);
  }

  void fit_light() {
    Eigen::Matrix<double, kShape, kShape> shapes = Eigen::Matrix<double, kShape, kShape>::Zero();
    Eigen::Matrix<double, kShape, 1> values = Eigen::Matrix<double, kShape, 1>::Zero();
    for (int y = 0; y < white_.height(); ++y) {
      for (int x = 0; x < white_.width(); ++x) {
        if (good_(y, x) == 0) continue;
        const Eigen::Matrix<double, kShape, 1> shape = shape_at(y, x);
        const double m = model(static_cast<std::size_t>(y) * white_.width() + x);
        shapes += m * m * shape * shape.transpose();
        values += m * white_(y, x) * shape;
      }
    }
    const Eigen::Matrix<double, kShape, 1> found = shapes.ldlt().solve(values);
    double mean = 0;
    for (int y = 0; y < white_.height(); ++y) {
      for (int x = 0; x < white_.width(); ++x) {
        light_(y, x) = static_cast<float>(std::max(0.05, found.dot(shape_at(y, x))));
        mean += light_(y, x) / static_cast<double>(light_.size());
      }
    }
    for (float& v : light_.values()) v /= static_cast<float>(mean);
  }

  GainFinding finding() const {
    double left = 0;
    double all = 0;
    for (std::size_t i = 0; i < white_.size(); ++i) {
      if (good_.data()[i] == 0) continue;
      const double off = white_.data()[i] - light_.data()[i] * model(i);
      left += off * off;
      all += static_cast<double>(white_.data()[i]) * white_.data()[i];
    }
    GainFinding result{{}, all > 0 ? std::sqrt(left / all) : 1};
    for (const double g : gains_) result.gains.push_back(g / gains_.mean());
    return result;
  }

 private:
  Eigen::Matrix<double, kShape, 1> shape_at(int y, int x) const {
    const double u = 2.0 * x / white_.width() - 1;
    const double v = 2.0 * y / white_.height() - 1;
    return Eigen::Matrix<double, kShape, 1>{{1, u, v, u * u, u * v, v * v}};
  }
  double model(std::size_t i) const {
    double sum = 0;
    for (std::size_t b = 0; b < bands_.size(); ++b) sum += gains_(static_cast<Eigen::Index>(b)) * bands_[b].data()[i];
    return sum;
  }

  const std::vector<double>& noise_;
  const Image& white_;
  const Image& good_;
  const std::vector<Image>& bands_;
  Eigen::MatrixXd spread_;
  Image light_;
  Eigen::VectorXd gains_;
};

}  // namespace

GainFinding band_gains(const Image& white, const Image& good, const std::vector<Image>& bands,
                       const std::vector<double>& wavelengths, const std::vector<bool>& seen,
                       const std::vector<double>& noise) {
  Target target(white, good, bands, from_seen(wavelengths, seen), noise);
  target.fit_gains();
  const GainFinding even = target.finding();
  for (int round = 0; round < kRounds; ++round) {
    target.fit_light();
    target.fit_gains();
  }
  const GainFinding uneven = target.finding();
  // A slope of the light looks a little like a slope of the gains, so that an even one is believed if it can be.
  return uneven.misfit < kClearlyLess * even.misfit ? uneven : even;
}

}  // namespace snapcube
