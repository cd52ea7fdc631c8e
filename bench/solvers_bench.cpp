// The camera's operators, the denoiser and the solvers at 28 bands of 256×256, with the share of the memory bandwidth
// that a triad over arrays of the same size reaches: all of them read and write more than they compute.

#include <benchmark/benchmark.h>

#include <snapcube/snapcube.h>

#include "counters.h"
#include "machine.h"
#include "solvers/tv.h"

namespace snapcube::bench {
namespace {

const Camera& camera() {
  static const Camera instance(random_mask(256, 256, MaskKind::binary, 0.5, 1));
  return instance;
}
const Cube& scene() {
  static const Cube instance = make_scene("still-life");
  return instance;
}

void report_bandwidth(benchmark::State& state, double bytes) {
  declare_counters(state);
  const double total = bytes * static_cast<double>(state.iterations());
  state.counters["GB/s"] = benchmark::Counter(total / 1e9, benchmark::Counter::kIsRate);
  state.counters["of_triad"] = benchmark::Counter(total / frame_bandwidth(), benchmark::Counter::kIsRate);
}

constexpr double kCubeBytes = 28.0 * 256 * 256 * 4;

void forward(benchmark::State& state) {
  Image y(camera().detector_height(), camera().detector_width());
  for (auto _ : state) camera().forward(scene(), y);
  report_bandwidth(state, kCubeBytes);
}
BENCHMARK(forward)->UseRealTime()->Unit(benchmark::kMillisecond);

void adjoint(benchmark::State& state) {
  const Image y = camera().forward(scene());
  Cube x = scene();
  for (auto _ : state) camera().adjoint(y, x);
  report_bandwidth(state, kCubeBytes);
}
BENCHMARK(adjoint)->UseRealTime()->Unit(benchmark::kMillisecond);

/// One dual step reads x, p and q and writes p and q: five cubes.
void tv_step(benchmark::State& state) {
  const auto kind = static_cast<TvKind>(state.range(0));
  TvDenoiser denoiser(28, 256, 256, kind);
  const Cube original = scene();
  Cube x = original;
  constexpr int kSteps = 10;
  for (auto _ : state) denoiser.denoise(x, 0.01f, kSteps);
  for (const auto& [name, value] : tv_kind_names()) {
    if (value == kind) state.SetLabel(name + " × 10");
  }
  report_bandwidth(state, (5.0 * kSteps + 4) * kCubeBytes);
}
BENCHMARK(tv_step)->DenseRange(0, 3)->UseRealTime()->Unit(benchmark::kMillisecond);

void solve(benchmark::State& state, const char* method) {
  const Image y = camera().forward(scene());
  Cube cube;
  for (auto _ : state) cube = Reconstructor::open(method).reconstruct(y, camera());
  declare_counters(state);
  state.counters["dB"] = psnr(cube, scene());
}
BENCHMARK_CAPTURE(solve, gap_tv, "gap-tv")->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(solve, twist, "twist")->UseRealTime()->Unit(benchmark::kMillisecond);

void machine(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(state.iterations());
  declare_counters(state);
  state.counters["memory_GB/s"] = memory_bandwidth() / 1e9;
  state.counters["frame_GB/s"] = frame_bandwidth() / 1e9;
  state.counters["FMA_GFLOP/s"] = fma_peak() / 1e9;
}
BENCHMARK(machine)->Iterations(1);

}  // namespace
}  // namespace snapcube::bench
