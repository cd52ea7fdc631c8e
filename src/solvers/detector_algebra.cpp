#include "solvers/detector_algebra.h"

#include <cmath>

#include <snapcube/error.h>

namespace snapcube {

double squared_norm(const Image& image) {
  double total = 0;
  for (int y = 0; y < image.height(); ++y) {
    double row = 0;
    for (int x = 0; x < image.width(); ++x) row += static_cast<double>(image(y, x)) * image(y, x);
    total += row;
  }
  return total;
}

double brightness(const Image& measurement, const Camera& camera) {
  const Image white = camera.forward(Cube(camera.bands(), camera.height(), camera.width(), 1.0f));
  const double light = squared_norm(white);
  return light > 0 ? std::sqrt(squared_norm(measurement) / light) : 0.0;
}

Image inverse_row_sums(const Camera& camera) {
  Image sums = camera.row_sums();
  float most = 0;
  for (const float v : sums.values()) most = std::max(most, v);
  // Where less than a millionth of the light arrives, noise would be blown up a thousandfold.
  for (float& v : sums.values()) v = v > 1e-6f * most ? 1.0f / v : 0.0f;
  return sums;
}

double geometric_schedule(double start, double end, int k, int n) {
  return n > 1 ? start * std::pow(end / start, static_cast<double>(k) / (n - 1)) : end;
}

void report(const ProgressCallback& progress, const Progress& now) {
  if (progress && !progress(now)) throw Interrupted();
}

}  // namespace snapcube
