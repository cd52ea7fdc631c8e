#include <chrono>
#include <cstdio>

#include "calibration/refine_bench.h"
#include "calibration/refine_drifted.h"
#include "calibration/refine_prediction.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(Tryout, All) {
  for (const char* kind : {getenv("KIND")}) {
    const testing::RefineBench bench(128, 128, 28, kind);
    Drift truth;
    truth.right = 1.5;
    truth.down = 1;
    truth.turn = 0.3;
    if (getenv("MORE")) {
      truth.slope = 0.008;
      truth.curvature = -0.004;
      truth.angle = 0.2;
      truth.blur = 0.2;
      truth.contrast = 0.9;
    }
    const CameraFile camera = bench.calibrated();
    std::vector<PreparedFrame> frames(1);
    const Cube scene = bench.truth();
    frames[0].values = bench.capture(truth);
    const auto t0 = std::chrono::steady_clock::now();
    const auto found = refine_camera(camera, frames, {0, 1, 2, 3, 4, 5, 6, 7});
    std::printf("%s %.1f s smooth %.4f %.4f unseen %.4f %.4f\n", kind,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(), found.smooth_before,
                found.smooth_after, found.unseen_before, found.unseen_after);
    std::fflush(stdout);
    for (std::size_t k = 0; k < kDriftParameters; ++k) {
      const auto& p = found.parameters[k];
      std::printf("  %-10s %8.4f +- %.4f  error %8.4f  without %.4f %s\n", drift_parameters()[k].name.c_str(), p.value,
                  p.deviation, p.value - truth.values()[k], p.without, verdict_text(p.verdict).c_str());
    }
    auto solver = Reconstructor::open("gap-tv");
    const auto db = [&](const Drift& d) {
      const CameraFile c = drifted_camera(camera, d);
      Cube cube = solver.reconstruct(frames[0].values, c.camera());
      const int w = std::min(cube.width(), scene.width()) - 4;
      return psnr(crop(cube, {2, 2, 124, w}), crop(scene, {2, 2, 124, w}));
    };
    if (getenv("MORE")) {
      UnseenPixels u(camera, frames);
      for (double c : {0.8, 0.9, 1.0})
        for (double b : {0.0, 0.2, 0.3}) {
          Drift d = truth;
          d.contrast = c;
          d.blur = b;
          std::printf("   contrast %.1f blur %.1f unseen %.5f\n", c, b, u.error(d));
        }
    }
    std::printf("   dB nominal %.2f refined %.2f true drift %.2f  exact mask %.2f\n", db({}), db(found.drift),
                db(truth),
                psnr(crop(solver.reconstruct(frames[0].values, bench.with_mask(truth).camera()), {2, 2, 124, 124}),
                     crop(scene, {2, 2, 124, 124})));
  }
}

}  // namespace
}  // namespace snapcube
