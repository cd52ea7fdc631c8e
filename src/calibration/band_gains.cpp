#include "calibration/band_gains.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace snapcube {

namespace {

constexpr int kRounds = 4;
constexpr int kShape = 6;  ///< 1, u, v, u², uv, v²

void shape_at(double u, double v, double* to) {
  const double values[kShape] = {1, u, v, u * u, u * v, v * v};
  std::copy_n(values, kShape, to);
}

/// Rows that take the gains of the bands that were seen to those of all: g = E g_seen.
Eigen::MatrixXd from_seen(const std::vector<double>& wavelengths, const std::vector<bool>& seen) {
  constexpr std::size_t kNodes = 4;
  std::vector<std::size_t> nodes;
  for (std::size_t b = 0; b < seen.size(); ++b) {
    if (seen[b]) nodes.push_back(b);
  }
  const auto n = static_cast<Eigen::Index>(seen.size());
  if (nodes.size() < kNodes) return Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(nodes.size()));
  for (std::size_t b = 0; b < seen.size(); ++b) {
    std::vector<std::size_t> order(nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {},
                             [&](std::size_t i) { return std::fabs(wavelengths[nodes[i]] - wavelengths[b]); });
    // Lagrange's polynomial; of a band that was seen it is 1 at itself.
    for (std::size_t i = 0; i < kNodes; ++i) {
      const double at = wavelengths[nodes[order[i]]];
      double weight = 1;
      for (std::size_t k = 0; k < kNodes; ++k) {
        const double other = wavelengths[nodes[order[k]]];
        if (k != i) weight *= (wavelengths[b] - other) / (at - other);
      }
      result(static_cast<Eigen::Index>(b), static_cast<Eigen::Index>(order[i])) = weight;
    }
  }
  return result;
}

}  // namespace

GainFinding band_gains(const Image& white, const Image& good, const std::vector<Image>& bands,
                       const std::vector<double>& wavelengths, const std::vector<bool>& seen) {
  const Eigen::MatrixXd spread = from_seen(wavelengths, seen);
  const auto n = static_cast<Eigen::Index>(bands.size());
  const int height = white.height();
  const int width = white.width();
  Image light(height, width, 1.0f);
  Eigen::VectorXd gains = Eigen::VectorXd::Ones(n);
  for (int round = 0; round < kRounds; ++round) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd side = Eigen::VectorXd::Zero(n);
    Eigen::VectorXd row(n);
    for (std::size_t i = 0; i < white.size(); ++i) {
      if (good.data()[i] == 0) continue;
      for (Eigen::Index b = 0; b < n; ++b)
        row(b) = static_cast<double>(light.data()[i]) * bands[static_cast<std::size_t>(b)].data()[i];
      matrix.selfadjointView<Eigen::Lower>().rankUpdate(row);
      side += static_cast<double>(white.data()[i]) * row;
    }
    const Eigen::MatrixXd full = matrix.selfadjointView<Eigen::Lower>();
    gains = spread * (spread.transpose() * full * spread).ldlt().solve(spread.transpose() * side);

    // The light on the target, for these gains.
    Eigen::Matrix<double, kShape, kShape> shapes = Eigen::Matrix<double, kShape, kShape>::Zero();
    Eigen::Matrix<double, kShape, 1> values = Eigen::Matrix<double, kShape, 1>::Zero();
    Eigen::Matrix<double, kShape, 1> shape;
    const auto model = [&](std::size_t i) {
      double sum = 0;
      for (Eigen::Index b = 0; b < n; ++b) sum += gains(b) * bands[static_cast<std::size_t>(b)].data()[i];
      return sum;
    };
    const auto place = [&](int y, int x) { shape_at(2.0 * x / width - 1, 2.0 * y / height - 1, shape.data()); };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const std::size_t i = static_cast<std::size_t>(y) * width + x;
        if (good.data()[i] == 0) continue;
        place(y, x);
        const double m = model(i);
        shapes += m * m * shape * shape.transpose();
        values += m * white.data()[i] * shape;
      }
    }
    const Eigen::Matrix<double, kShape, 1> found = shapes.ldlt().solve(values);
    double mean = 0;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        place(y, x);
        light(y, x) = static_cast<float>(std::max(0.05, found.dot(shape)));
        mean += light(y, x);
      }
    }
    mean /= static_cast<double>(light.size());
    for (float& v : light.values()) v /= static_cast<float>(mean);
  }
  double left = 0;
  double all = 0;
  for (std::size_t i = 0; i < white.size(); ++i) {
    if (good.data()[i] == 0) continue;
    double sum = 0;
    for (Eigen::Index b = 0; b < n; ++b) sum += gains(b) * bands[static_cast<std::size_t>(b)].data()[i];
    const double off = white.data()[i] - light.data()[i] * sum;
    left += off * off;
    all += static_cast<double>(white.data()[i]) * white.data()[i];
  }
  GainFinding result;
  result.misfit = all > 0 ? std::sqrt(left / all) : 1;
  const double mean = gains.mean();
  for (Eigen::Index b = 0; b < n; ++b) result.gains.push_back(gains(b) / mean);
  return result;
}

}  // namespace snapcube
