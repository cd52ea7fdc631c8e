#include "calibration/refine_search.h"

#include <chrono>
#include <cstdio>

#include "calibration/refine_bench.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(Tryout, All) {
  for (const char* kind : {"chart", "still-life", "texture", "resolution"}) {
    const testing::RefineBench bench(128, 128, 28, 3);
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
    frames[0].values = bench.capture(bench.scene(kind), truth);
    const auto t0 = std::chrono::steady_clock::now();
    const DriftSearch found = search_drift(camera, frames, {0, 1, 2, 3, 4, 5, 6, 7});
    std::printf("%s %.1f s before %.4f after %.4f told %zu windows %zu\n", kind,
                std::chrono::duration<double>(std::chrono::steady_clock::now() - t0).count(), found.before, found.after,
                found.told.size(), found.windows);
    for (std::size_t k = 0; k < kDriftParameters; ++k) {
      std::printf("  %-10s %8.4f +- %.4f  error %8.4f\n", drift_parameters()[k].name.c_str(), found.drift.values()[k],
                  found.deviation[k], found.drift.values()[k] - truth.values()[k]);
    }
  }
}

}  // namespace
}  // namespace snapcube
