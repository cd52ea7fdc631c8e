// What has drifted, from simulated captures with known answers.

#include "calibration/refine_drifted.h"

#include <cmath>

#include "calibration/refine_bench.h"
#include "calibration/refine_camera.h"
#include "support.h"

namespace snapcube {
namespace {

constexpr std::size_t kRight = 0;
constexpr std::size_t kDown = 1;
constexpr std::size_t kTurn = 2;
constexpr std::size_t kSlope = 3;
constexpr std::size_t kCurvature = 4;
const std::vector<std::size_t> kAll = {0, 1, 2, 3, 4, 5, 6, 7};

double decibels(const CameraFile& camera, const Image& capture, const Cube& truth) {
  auto solver = Reconstructor::open("gap-tv", {{"iterations", "60"}});
  const Cube cube = solver.reconstruct(capture, camera.camera());
  const Region inside{2, 2, truth.height() - 4, truth.width() - 4};
  return psnr(crop(cube, inside), crop(truth, inside));
}

TEST(RefineDrifted, AMaskThatMovedAndTurnedIsFoundAndTheCubeRegainsItsDecibels) {
  const testing::RefineBench bench(128, 128, 28, "still-life");
  Drift moved;
  moved.right = 1.5;
  moved.down = 1.0;
  moved.turn = 0.3;
  const CameraFile camera = bench.calibrated();
  std::vector<PreparedFrame> frames(1);
  frames[0].values = bench.capture(moved);
  double last = 0;
  const RefinedCamera found = refine_camera(camera, frames, kAll, [&](double done) {
    EXPECT_GE(done, last - 1e-9);
    EXPECT_LE(done, 1);
    last = done;
  });
  EXPECT_EQ(last, 1);
  EXPECT_NEAR(found.drift.right, 1.5, 0.1);
  EXPECT_NEAR(found.drift.down, 1.0, 0.1);
  EXPECT_NEAR(found.drift.turn, 0.3, 0.03);
  for (const std::size_t k : {kRight, kDown, kTurn}) {
    EXPECT_EQ(found.parameters[k].verdict, DriftVerdict::found);
    EXPECT_GT(found.parameters[k].without, found.unseen_after);
  }
  EXPECT_LT(found.smooth_after, 0.6 * found.smooth_before);
  EXPECT_LT(found.unseen_after, 0.5 * found.unseen_before);

  const Cube truth = bench.truth();
  const double lost = decibels(camera, frames[0].values, truth);
  const double regained = decibels(drifted_camera(camera, found.drift), frames[0].values, truth);
  const double best = decibels(bench.with_mask(moved), frames[0].values, truth);
  RecordProperty("lost", std::to_string(lost));
  RecordProperty("regained", std::to_string(regained));
  RecordProperty("best", std::to_string(best));
  EXPECT_GT(best - lost, 3);
  EXPECT_GT(regained - lost, 0.9 * (best - lost)) << lost << " dB, refined " << regained << ", true mask " << best;
}

TEST(RefineDrifted, ACameraAsItWasStaysAsItWas) {
  const testing::RefineBench bench(64, 64, 12, "still-life");
  const CameraFile camera = bench.calibrated();
  std::vector<PreparedFrame> frames(1);
  frames[0].values = bench.capture({});
  const RefinedCamera found = refine_camera(camera, frames, {kRight, kDown, kTurn, kSlope});
  EXPECT_NEAR(found.drift.right, 0, 0.05);
  EXPECT_NEAR(found.drift.down, 0, 0.05);
  EXPECT_NEAR(found.drift.turn, 0, 0.05);
  EXPECT_NEAR(found.drift.slope, 0, 0.004);
  EXPECT_LE(found.unseen_after, found.unseen_before);
  EXPECT_EQ(found.parameters[kCurvature].verdict, DriftVerdict::not_asked);
}

TEST(RefineDrifted, LightOfOneWavelengthDoesNotTellTheDispersion) {
  const testing::RefineBench bench(64, 64, 12, "texture");
  CameraFile camera = bench.calibrated();
  Cube one = bench.truth();
  for (int b = 0; b < 12; ++b) {
    if (b != 6) std::fill_n(one.band(b), one.band_size(), 0.0f);
  }
  Drift moved;
  moved.down = 1;
  std::vector<PreparedFrame> frames(1);
  frames[0].values = drifted_camera(camera, moved).camera().forward(one);
  const RefinedCamera found = refine_camera(camera, frames, {kRight, kDown, kSlope, kCurvature});
  EXPECT_NEAR(found.drift.down, 1, 0.1);
  EXPECT_EQ(found.parameters[kDown].verdict, DriftVerdict::found);
  EXPECT_EQ(found.parameters[kSlope].verdict, DriftVerdict::untold);
  EXPECT_EQ(found.drift.slope, 0);
}

TEST(RefineDrifted, StopsWhenAsked) {
  CameraFile camera;
  camera.mask = random_mask(48, 48, MaskKind::binary, 0.5, 1);
  camera.positions = {0, 2, 4, 6};
  std::vector<PreparedFrame> frames(1);
  frames[0].values = camera.camera().forward(testing::random_cube(4, 48, 48, 1));
  EXPECT_THROW(refine_camera(camera, frames, kAll, [](double) { throw Interrupted(); }), Interrupted);
}

}  // namespace
}  // namespace snapcube
