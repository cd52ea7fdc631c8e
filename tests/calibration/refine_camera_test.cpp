// A camera with its drift.

#include "calibration/refine_camera.h"

#include <cmath>

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

CameraFile small_camera(Axis axis = Axis::columns) {
  CameraFile camera;
  camera.axis = axis;
  camera.mask = random_mask(24, 30, MaskKind::binary, 0.5, 1);
  for (int b = 0; b < 9; ++b) {
    camera.positions.push_back(2.0 * b);
    camera.wavelengths.push_back(450 + 25.0 * b);
  }
  return camera;
}

Image transposed(const Image& image) {
  Image result(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) result(x, y) = image(y, x);
  }
  return result;
}

TEST(RefineCamera, PositionsTurnAndStretchAboutTheirMiddle) {
  Drift drift;
  drift.slope = 0.02;
  drift.curvature = 0.01;
  drift.angle = 45;
  const DriftedPositions p = drifted_positions({0, 8, 16}, drift);
  EXPECT_NEAR(p.along[0], -0.16 + 16 * 0.01 * 2 / 3, 1e-12);
  EXPECT_NEAR(p.along[1], 8 - 16 * 0.01 / 3, 1e-12);
  EXPECT_NEAR(p.along[2], 16.16 + 16 * 0.01 * 2 / 3, 1e-12);
  EXPECT_NEAR(p.across[0], -8, 1e-12);
  EXPECT_NEAR(p.across[2], 8, 1e-12);
}

TEST(RefineCamera, NoDriftChangesNothing) {
  const CameraFile camera = small_camera();
  const CameraFile same = drifted_camera(camera, {});
  EXPECT_EQ(same.positions, camera.positions);
  EXPECT_TRUE(std::ranges::equal(same.mask.values(), camera.mask.values()));
}

TEST(RefineCamera, AShiftOfWholePixelsMovesTheMask) {
  Drift drift;
  drift.right = 2;
  drift.down = -1;
  const CameraFile camera = small_camera();
  const CameraFile moved = drifted_camera(camera, drift);
  for (int y = 0; y < 23; ++y) {
    for (int x = 2; x < 30; ++x) EXPECT_EQ(moved.mask(y, x), camera.mask(y + 1, x - 2));
  }
}

TEST(RefineCamera, ARotationTurnsRightToDown) {
  CameraFile camera = small_camera();
  camera.mask = Image(101, 101);
  for (int r = 0; r < 101; ++r) {
    for (int c = 0; c < 101; ++c) camera.mask(r, c) = static_cast<float>(0.01 * r);
  }
  Drift drift;
  drift.turn = 0.5;
  const CameraFile turned = drifted_camera(camera, drift);
  // What was on the middle row is 40 pixels to the right now 40·sin(0.5°) = 0.349 lower.
  EXPECT_NEAR(turned.mask(50, 90), 0.01 * (50 - 0.34906), 1e-4);
  EXPECT_NEAR(turned.mask(50, 10), 0.01 * (50 + 0.34906), 1e-4);
}

TEST(RefineCamera, TheDetectorKeepsItsSizeAndEveryBandLiesWhereItShould) {
  for (const double slope : {0.02, -0.02, 0.08, -0.08}) {
    Drift drift;
    drift.slope = slope;
    drift.right = 0.3;
    const CameraFile camera = small_camera();
    const CameraFile bent = drifted_camera(camera, drift);
    const Camera device = bent.camera();
    ASSERT_EQ(device.detector_width(), camera.camera().detector_width()) << slope;
    ASSERT_EQ(device.detector_height(), camera.camera().detector_height());
    const DriftedPositions places = drifted_positions(camera.positions, drift);
    for (const int b : {0, 4, 8}) {
      Cube light(9, device.height(), device.width());
      std::fill_n(light.band(b), light.band_size(), 1.0f);
      const Image seen = device.forward(light);
      const double along = places.along[static_cast<std::size_t>(b)];
      for (int y = 0; y < 24; ++y) {
        for (int column = 4 + static_cast<int>(along); column < 26 + static_cast<int>(along); ++column) {
          float wanted = 0;
          sample_mask(camera.mask, MaskReading::linear, line_in_mask(camera.mask, drift, y, column, 0, along), 1,
                      &wanted);
          ASSERT_NEAR(seen(y, column), wanted, 1e-5) << slope << " band " << b << " at " << y << ", " << column;
        }
      }
    }
  }
}

TEST(RefineCamera, DispersionAlongTheRowsIsTheSameOnItsSide) {
  Drift drift;
  drift.right = 0.4;
  drift.down = -0.7;
  drift.turn = 0.3;
  drift.slope = 0.01;
  drift.angle = 0.4;
  drift.blur = 0.1;
  drift.contrast = 0.8;
  const CameraFile columns = small_camera();
  CameraFile rows = small_camera(Axis::rows);
  rows.mask = transposed(columns.mask);
  Drift mirrored = drift;  // across the diagonal
  std::swap(mirrored.right, mirrored.down);
  mirrored.turn = -drift.turn;
  const CameraFile a = drifted_camera(columns, drift);
  const CameraFile b = drifted_camera(rows, mirrored);
  ASSERT_EQ(a.masks.bands(), 9);
  ASSERT_EQ(b.masks.height(), a.masks.width());
  for (int band = 0; band < 9; ++band) {
    for (int y = 0; y < a.masks.height(); ++y) {
      for (int x = 0; x < a.masks.width(); ++x) EXPECT_NEAR(a.masks(band, y, x), b.masks(band, x, y), 1e-5);
    }
  }
}

TEST(RefineCamera, TheCurveFollowsThePositions) {
  CameraFile camera = small_camera();
  camera.curve = {8, 8, 0, 0};
  Drift drift;
  drift.slope = 0.01;
  drift.curvature = -0.02;
  const CameraFile bent = drifted_camera(camera, drift);
  ASSERT_EQ(bent.curve.size(), 4U);
  const DriftedPositions places = drifted_positions(camera.positions, drift);
  for (std::size_t b = 0; b < 9; ++b) EXPECT_NEAR(bent.position(camera.wavelengths[b]), places.along[b], 1e-9);
}

}  // namespace
}  // namespace snapcube
