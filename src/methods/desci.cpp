// DeSCI: generalised alternating projection with a prior of low-rank patch groups, started from GAP-TV.
// Y. Liu, X. Yuan, J. Suo, D. Brady, Q. Dai, "Rank minimization for snapshot compressive imaging", IEEE Trans. PAMI
// 41(12), 2019.
//
//   x ← GAP-TV(y)
//   x ← project(x)          see alternating_projection.h
//   x ← denoise(x, σ_k)     see wnnm.h; the noise level σ_k falls from iteration to iteration

#include <algorithm>
#include <chrono>
#include <utility>

#include "methods/method.h"
#include "solvers/alternating_projection.h"
#include "solvers/detector_algebra.h"
#include "solvers/wnnm.h"

namespace snapcube {

namespace {

struct Options {
  int iterations = 60;
  int start_iterations = 100;
  PatchOptions patches;
  int regroup = 8;
  double first_noise = 0.15;
  double last_noise = 0.05;
  double band_strength = 44;
  double patch_strength = 3;
};

class DeSci : public SolverMethod {
 public:
  MethodInfo info() override {
    return {"desci", "DeSCI",
            "alternating projection with low-rank groups of similar patches; 17 s a frame on two cores",
            parameters().describe()};
  }

  void configure(const Reconstructor::Settings& settings) override { parameters().apply(settings); }

 protected:
  void solve(const Image& y, const Camera& camera, const ProgressCallback& progress, Cube& x) override {
    const double unit = brightness(y, camera);
    start(y, camera, progress, x);
    if (!(unit > 0)) return;

    AlternatingProjection projection(y, camera, true);
    Cube noisy = x;  // x stays as it is while the denoiser runs: it is the estimate that the reports show
    WnnmDenoiser denoiser(camera.bands(), camera.height(), camera.width(), options_.patches);
    for (int k = 0; k < options_.iterations; ++k) {
      const double residual = projection.residual(x);
      const Progress now{k, options_.iterations, residual, &x};
      report(progress, now);
      auto reported = Clock::now();
      std::ranges::copy(x.values(), noisy.data());
      projection.project(noisy);
      const double noise = unit * geometric_schedule(options_.first_noise, options_.last_noise, k, options_.iterations);
      const Shrinkage shrinkage{noise, options_.band_strength, options_.patch_strength};
      denoiser.denoise(noisy, shrinkage, k % options_.regroup == 0, [&] {
        if (Clock::now() - reported < kReportInterval) return;
        report(progress, now);
        reported = Clock::now();
      });
      std::swap(x, noisy);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr auto kReportInterval = std::chrono::milliseconds(250);

  /// GAP-TV's result. It takes less time than one iteration that follows: for the progress it counts as none.
  void start(const Image& y, const Camera& camera, const ProgressCallback& progress, Cube& x) const {
    const auto gap_tv = make_gap_tv();
    gap_tv->configure({{"iterations", std::to_string(options_.start_iterations)}});
    gap_tv->reconstruct(
        y, camera,
        [&](const Progress& p) {
          return !progress || progress({0, options_.iterations, p.residual, p.estimate});
        },
        x);
  }

  ParameterList parameters() {
    ParameterList list("desci");
    list.add("iterations", options_.iterations, 1, "iterations after GAP-TV's");
    list.add("start-iterations", options_.start_iterations, 1, "iterations of GAP-TV, whose result is the start");
    list.add("patch", options_.patches.patch, 1, kMostPatch, "side of a patch, in pixels");
    list.add("stride", options_.patches.stride, 1, kMostPatch, "pixels from one group's patch to the next's");
    list.add("window", options_.patches.window, 0, kMostWindow, "how far similar patches are searched, in pixels");
    list.add("group", options_.patches.group, 1, kMostGroup, "similar patches in a group");
    list.add("regroup", options_.regroup, 1, "iterations from one search to the next");
    list.add("first-noise", options_.first_noise, 1e-9, "noise level at the start, relative to the brightness");
    list.add("last-noise", options_.last_noise, 1e-9, "noise level at the end, relative to the brightness");
    list.add("band-strength", options_.band_strength, 0.0, "c of the weights c·√n·σ²/s by which spectra shrink");
    list.add("patch-strength", options_.patch_strength, 0.0, "the same for similar patches");
    return list;
  }
  // Beyond these a group's matrices would take gigabytes.
  static constexpr int kMostPatch = 32;
  static constexpr int kMostWindow = 256;
  static constexpr int kMostGroup = 512;

  Options options_;
};

}  // namespace

std::unique_ptr<Reconstructor::Method> make_desci() { return std::make_unique<DeSci>(); }

}  // namespace snapcube
