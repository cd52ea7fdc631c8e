// The objective of the search, against differences of itself and against what must hold.

#include "calibration/refine_local.h"

#include <cmath>

#include "calibration/refine_bench.h"
#include "support.h"

namespace snapcube {
namespace {

CameraFile grey_camera(Axis axis) {
  CameraFile camera;
  camera.axis = axis;
  camera.mask = random_mask(48, 48, MaskKind::grey, 0.5, 1);
  for (int b = 0; b < 7; ++b) camera.positions.push_back(3.0 * b);
  return camera;
}

TEST(RefineLocal, SlopesAreThoseOfDifferences) {
  for (const Axis axis : {Axis::columns, Axis::rows}) {
    const CameraFile camera = grey_camera(axis);
    const Camera device = camera.camera();
    std::vector<PreparedFrame> frames(1);
    frames[0].values = device.forward(testing::random_cube(7, 48, 48, 2));
    const LocalFit fit(camera, frames);
    const auto windows = fit.windows(100, 9);
    Drift at;
    at.right = 0.21;
    at.down = -0.33;
    at.turn = 0.2;
    at.slope = 0.004;
    at.curvature = -0.003;
    at.angle = 0.3;
    at.blur = 0.1;
    at.contrast = 0.9;
    const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
    const LocalFitValue value = fit.evaluate(windows, at, all);
    for (const std::size_t k : all) {
      const double h = 0.05;  // of a step
      DriftValues more = at.values();
      DriftValues less = at.values();
      more[k] += h * drift_parameters()[k].step;
      less[k] -= h * drift_parameters()[k].step;
      const double difference =
          (fit.objective(windows, Drift::of(more)) - fit.objective(windows, Drift::of(less))) / (2 * h);
      EXPECT_NEAR(value.gradient[k], difference,
                  0.03 * std::fabs(difference) + 0.02 * std::sqrt(value.curvature[9 * k]))
          << drift_parameters()[k].name;
    }
  }
}

TEST(RefineLocal, ASmoothSceneIsExplainedByItsOwnCameraOnly) {
  const CameraFile camera = grey_camera(Axis::columns);
  const Camera device = camera.camera();
  Cube smooth(7, 48, 48);
  for (int b = 0; b < 7; ++b) {
    for (int y = 0; y < 48; ++y) {
      for (int x = 0; x < 48; ++x) smooth(b, y, x) = static_cast<float>(1 + 0.1 * b + 0.01 * y - 0.005 * x);
    }
  }
  std::vector<PreparedFrame> frames(1);
  frames[0].values = device.forward(smooth);
  // A pixel that is not seen may hold anything.
  frames[0].values(20, 25) = 1e6f;
  frames[0].weights = Image(device.detector_height(), device.detector_width(), 1.0f);
  frames[0].weights(20, 25) = 0;
  const LocalFit fit(camera, frames);
  const auto windows = fit.windows(8, 4);
  ASSERT_FALSE(windows.empty());
  const LocalFitValue right = fit.evaluate(windows, {}, {});
  EXPECT_LT(right.left / right.light, 1e-8);
  Drift moved;
  moved.right = 1;
  const LocalFitValue wrong = fit.evaluate(windows, moved, {});
  EXPECT_GT(wrong.left / wrong.light, 1e-4);
}

}  // namespace
}  // namespace snapcube
