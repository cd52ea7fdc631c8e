#include "calibration/registration.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "calibration/sampling.h"

namespace snapcube {

namespace {

constexpr int kUnknowns = 6;  ///< dx, dy, turn, scale, factor, level
/// Smoothing does not know what lies beyond a frame, so that its border is not what it seems.
constexpr int kBorder = 4;
constexpr int kMostIterations = 12;
/// Images of more pixels are looked at in every second, third, … row and column.
constexpr int kMostPixels = 400'000;

/// What a row adds to the normal equations, and to the correlation.
struct Sums {
  Eigen::Matrix<double, kUnknowns, kUnknowns> matrix = Eigen::Matrix<double, kUnknowns, kUnknowns>::Zero();
  Eigen::Matrix<double, kUnknowns, 1> side = Eigen::Matrix<double, kUnknowns, 1>::Zero();
  double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;

  void add(const Sums& other) {
    matrix += other.matrix;
    side += other.side;
    n += other.n;
    a += other.a;
    b += other.b;
    aa += other.aa;
    bb += other.bb;
    ab += other.ab;
  }
  double correlation() const {
    const double va = aa - a * a / std::max(n, 1.0);
    const double vb = bb - b * b / std::max(n, 1.0);
    return va > 0 && vb > 0 ? (ab - a * b / n) / std::sqrt(va * vb) : 0;
  }
};

struct Problem {
  const Image& from;
  const Image& to;
  const Region& area;
  const Place& centre;
  int stride;

  Sums row(int y, const Similarity& motion, double factor, double level) const {
    Sums sums;
    const int first = std::max(area.left, kBorder);
    const int last = std::min(area.left + area.width, from.width() - kBorder);
    Eigen::Matrix<double, kUnknowns, 1> g;
    for (int x = first; x < last; x += stride) {
      const Place at = motion.apply({static_cast<double>(x), static_cast<double>(y)}, centre);
      if (!(at.x >= kBorder && at.y >= kBorder && at.x < to.width() - 1 - kBorder &&
            at.y < to.height() - 1 - kBorder)) {
        continue;
      }
      const double there = cubic(to, at.x, at.y);
      const double here = from(y, x);
      const double gx = factor * 0.5 * (from(y, x + 1) - from(y, x - 1));
      const double gy = factor * 0.5 * (from(y + 1, x) - from(y - 1, x));
      const double u = x - centre.x;
      const double v = y - centre.y;
      // How to(motion(p)) changes with each unknown, its gradient taken from factor·from, which it shall equal.
      g << gx, gy, gy * u - gx * v, gx * u + gy * v, -here, -1.0;
      const double error = there - factor * here - level;
      sums.matrix.selfadjointView<Eigen::Lower>().rankUpdate(g);
      sums.side -= error * g;
      sums.n += 1;
      sums.a += here;
      sums.b += there;
      sums.aa += here * here;
      sums.bb += there * there;
      sums.ab += here * there;
    }
    return sums;
  }

  /// Rows are added in their order, whatever the threads.
  Sums all(const Similarity& motion, double factor, double level) const {
    const int first = std::max(area.top, kBorder);
    const int last = std::min(area.top + area.height, from.height() - kBorder);
    const int count = std::max(0, (last - first + stride - 1) / stride);
    std::vector<Sums> rows(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(static)
    for (int i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)] = row(first + i * stride, motion, factor, level);
    Sums sums;
    for (const Sums& r : rows) sums.add(r);
    return sums;
  }
};

}  // namespace

Registration register_images(const Image& from, const Image& to, const Region& area, const Place& centre,
                             const Similarity& start, bool rigid) {
  int stride = 1;
  while (static_cast<std::int64_t>(area.height) * area.width / (stride * stride) > kMostPixels) ++stride;
  const Problem problem{from, to, area, centre, stride};
  Similarity motion = start;
  double factor = 1;
  double level = 0;
  for (int i = 0; i < kMostIterations; ++i) {
    const Sums sums = problem.all(motion, factor, level);
    if (sums.n < 16) break;
    Eigen::Matrix<double, kUnknowns, kUnknowns> matrix = sums.matrix.selfadjointView<Eigen::Lower>();
    Eigen::Matrix<double, kUnknowns, 1> side = sums.side;
    if (rigid) {
      for (const int k : {2, 3}) {
        matrix.row(k).setZero();
        matrix.col(k).setZero();
        matrix(k, k) = 1;
        side(k) = 0;
      }
    }
    // Angles and scales are thousandths where positions are pixels.
    const Eigen::Matrix<double, kUnknowns, 1> unit = matrix.diagonal().cwiseMax(1e-30).cwiseSqrt().cwiseInverse();
    const Eigen::Matrix<double, kUnknowns, kUnknowns> even = unit.asDiagonal() * matrix * unit.asDiagonal();
    const Eigen::Matrix<double, kUnknowns, 1> step = unit.cwiseProduct(even.ldlt().solve(unit.cwiseProduct(side)));
    if (!step.allFinite()) break;
    const double dx = std::clamp(step(0), -2.0, 2.0);
    const double dy = std::clamp(step(1), -2.0, 2.0);
    motion.dx += dx;
    motion.dy += dy;
    motion.turn = std::clamp(motion.turn + step(2), -0.2, 0.2);
    motion.scale = std::clamp(motion.scale + step(3), 0.8, 1.25);
    factor = std::clamp(factor + step(4), 0.05, 20.0);
    level += step(5);
    const double corner = 0.5 * std::hypot(area.width, area.height) * (std::fabs(step(2)) + std::fabs(step(3)));
    if (std::fabs(dx) + std::fabs(dy) + corner < 1e-4) break;
  }
  return {motion, std::max(0.0, problem.all(motion, factor, level).correlation())};
}

}  // namespace snapcube
