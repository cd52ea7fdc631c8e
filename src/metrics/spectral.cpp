#include <numbers>

#include <snapcube/metrics.h>

#include "base/parallel.h"
#include "metrics/common.h"
#include "metrics/mean_spectrum.h"

namespace snapcube {

namespace {

struct AngleSum {
  double radians = 0;
  std::size_t pixels = 0;
};

/// Sum of the angles of one row of pixels. The angle between p and q is
///   2·atan2(‖ p·|q| − q·|p| ‖, ‖ p·|q| + q·|p| ‖),
/// which keeps its accuracy where acos of the cosine loses half of the digits: at small angles.
AngleSum angles_of_row(const Cube& image, const Cube& truth, int y) {
  const int width = image.width();
  const auto size = static_cast<std::size_t>(width);
  std::vector<double> norm_p(size), norm_q(size), difference(size), sum(size);
  for (int b = 0; b < image.bands(); ++b) {
    const float* p = image.row(b, y);
    const float* q = truth.row(b, y);
    for (int x = 0; x < width; ++x) {
      norm_p[x] += static_cast<double>(p[x]) * p[x];
      norm_q[x] += static_cast<double>(q[x]) * q[x];
    }
  }
  for (double& v : norm_p) v = std::sqrt(v);
  for (double& v : norm_q) v = std::sqrt(v);
  for (int b = 0; b < image.bands(); ++b) {
    const float* p = image.row(b, y);
    const float* q = truth.row(b, y);
    for (int x = 0; x < width; ++x) {
      const double u = p[x] * norm_q[x];
      const double v = q[x] * norm_p[x];
      difference[x] += (u - v) * (u - v);
      sum[x] += (u + v) * (u + v);
    }
  }
  AngleSum result;
  for (int x = 0; x < width; ++x) {
    if (norm_p[x] == 0 || norm_q[x] == 0) continue;
    result.radians += 2 * std::atan2(std::sqrt(difference[x]), std::sqrt(sum[x]));
    ++result.pixels;
  }
  return result;
}

}  // namespace

double sam(const Cube& image, const Cube& truth) {
  check_same_shape(image, truth);
  std::vector<AngleSum> rows(static_cast<std::size_t>(image.height()));
  parallel_for(image.height(), [&](std::int64_t y) { rows[y] = angles_of_row(image, truth, static_cast<int>(y)); });
  AngleSum total;
  for (const AngleSum& row : rows) {
    total.radians += row.radians;
    total.pixels += row.pixels;
  }
  return total.radians / static_cast<double>(total.pixels) * 180 / std::numbers::pi;
}

double spectral_correlation(const Cube& image, const Cube& truth, const Region& region) {
  check_same_shape(image, truth);
  std::vector<double> p = mean_spectrum(crop(image, region));
  std::vector<double> q = mean_spectrum(crop(truth, region));
  const double mean_p = mean_of(p);
  const double mean_q = mean_of(q);
  double pp = 0;
  double qq = 0;
  double pq = 0;
  for (std::size_t b = 0; b < p.size(); ++b) {
    pp += (p[b] - mean_p) * (p[b] - mean_p);
    qq += (q[b] - mean_q) * (q[b] - mean_q);
    pq += (p[b] - mean_p) * (q[b] - mean_q);
  }
  return pq / (std::sqrt(pp) * std::sqrt(qq));
}

}  // namespace snapcube
