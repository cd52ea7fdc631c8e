#include "optics/detector_solver.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <omp.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::random_cube;
using testing::random_image;

std::vector<CameraOptions> layouts() {
  return {{.bands = 5, .step = 2},
          {.bands = 5, .step = -1, .axis = Axis::rows},
          {.bands = 4, .offsets = {0, 1.25, 3.5, 7.875}},
          {.bands = 4, .offsets = {6.4, 3.3, 1.5, 0}},
          {.bands = 3, .axis = Axis::rows, .offsets = {0, 1.5, 2.25}},
          {.bands = 3, .axis = Axis::rows, .offsets = {5.5, 2.25, 0}}};
}

/// (ΦΦᵀ + μ) z = r is checked with the operators themselves.
TEST(DetectorSolver, InvertsTheCamerasProduct) {
  for (const CameraOptions& options : layouts()) {
    for (const bool weighted : {false, true}) {
      Camera camera(random_cube(options.bands, 20, 70, 1), options);
      Image weights = random_image(camera.detector_height(), camera.detector_width(), 2);
      for (float& w : weights.values()) w = w > 0.2f ? w : 0.0f;
      if (weighted) camera.set_weights(weights);
      const Image diagonal = camera.diagonal();
      const double mu = 0.02 * *std::ranges::max_element(diagonal.values());

      const Image r = random_image(camera.detector_height(), camera.detector_width(), 3);
      Image z = r;
      DetectorSolver(camera, 0.02).solve(z);
      const Image back = camera.forward(camera.adjoint(z));
      for (std::size_t i = 0; i < r.size(); ++i) {
        if (diagonal.data()[i] == 0) {
          EXPECT_EQ(z.data()[i], 0);
        } else if (diagonal.data()[i] > 2e-6) {
          EXPECT_NEAR(back.data()[i] + mu * z.data()[i], r.data()[i], 1e-4);
        }
      }
    }
  }
}

TEST(DetectorSolver, OneProjectionExplainsTheMeasurement) {
  for (const CameraOptions& options : layouts()) {
    const Camera camera(random_cube(options.bands, 20, 70, 1), options);
    const Image y = camera.forward(random_cube(options.bands, 20, 70, 5));
    Image z = y;
    DetectorSolver(camera, 1e-5).solve(z);
    const Image explained = camera.forward(camera.adjoint(z));
    double left = 0;
    double all = 0;
    for (std::size_t i = 0; i < y.size(); ++i) {
      left += std::pow(y.data()[i] - explained.data()[i], 2);
      all += std::pow(y.data()[i], 2);
    }
    EXPECT_LT(std::sqrt(left / all), 1e-3);
  }
}

TEST(DetectorSolver, SameBytesForEveryThreadCount) {
  for (const CameraOptions& options : layouts()) {
    const Camera camera(random_cube(options.bands, 33, 165, 1), options);
    const DetectorSolver solver(camera, 1e-3);
    const Image r = random_image(camera.detector_height(), camera.detector_width(), 3);
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    Image one = r;
    solver.solve(one);
    for (const int n : {2, 5}) {
      omp_set_num_threads(n);
      Image many = r;
      solver.solve(many);
      EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << n;
    }
    omp_set_num_threads(threads);
  }
}

}  // namespace
}  // namespace snapcube
