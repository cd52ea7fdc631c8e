// The engine's kernels at the shapes that CST has at 256×256, on one thread: GFLOP/s (a multiply-add is two) and the
// share of what a core reaches in registers.

#include <benchmark/benchmark.h>
#include <vector>

#include <snapcube/array.h>

#include "base/random.h"
#include "counters.h"
#include "engine/map.h"
#include "engine/profile.h"
#include "kernels/bucket_attention.h"
#include "kernels/depthwise.h"
#include "kernels/elementwise.h"
#include "kernels/hash.h"
#include "kernels/row_product.h"
#include "machine.h"

namespace snapcube::bench {
namespace {

using kernels::Activation;

FloatBuffer random_floats(std::size_t n, double range = 1) {
  Random random(n);
  FloatBuffer values(n);
  for (float& v : values) v = static_cast<float>(random.uniform(-range, range));
  return values;
}

double core_peak() {
  static const double value = 2 * engine::measured_peak(1);
  return value;
}

void report(benchmark::State& state, double multiply_adds, double elements) {
  declare_counters(state);
  const double runs = static_cast<double>(state.iterations());
  state.counters["GFLOP/s"] = benchmark::Counter(2 * multiply_adds * runs / 1e9, benchmark::Counter::kIsRate);
  state.counters["of_peak"] = benchmark::Counter(2 * multiply_adds * runs / core_peak(), benchmark::Counter::kIsRate);
  state.counters["Gelements/s"] = benchmark::Counter(elements * runs / 1e9, benchmark::Counter::kIsRate);
}

/// outputs, depth, taps, pixels, activation
void row_product(benchmark::State& state) {
  const auto outputs = static_cast<int>(state.range(0));
  const auto depth = static_cast<int>(state.range(1));
  const auto taps = static_cast<int>(state.range(2));
  const auto pixels = static_cast<int>(state.range(3));
  const std::size_t pitch = engine::pitch_of(pixels);
  const FloatBuffer in = random_floats(static_cast<std::size_t>(depth + 1) * pitch + 64);
  const FloatBuffer weights = random_floats(static_cast<std::size_t>(outputs * depth * taps), 0.1);
  FloatBuffer packed(weights.size());
  kernels::pack_weights(weights.data(), outputs, depth, taps, packed.data());
  FloatBuffer out(static_cast<std::size_t>(outputs) * pitch);
  const float* pointers[kernels::kMaxTaps];
  for (int t = 0; t < taps; ++t) pointers[t] = in.data() + t % 3;
  kernels::RowProduct p;
  p.weights = packed.data();
  p.outputs = outputs;
  p.depth = depth;
  p.taps = pointers;
  p.tap_count = taps;
  p.pitch = p.out_pitch = pitch;
  p.pixels = static_cast<std::size_t>(pixels);
  p.activation = static_cast<Activation>(state.range(4));
  p.out = out.data();
  for (auto _ : state) kernels::row_product(p);
  report(state, static_cast<double>(weights.size()) * pixels, static_cast<double>(outputs) * pixels);
}
constexpr auto kGelu = static_cast<std::int64_t>(Activation::gelu);
BENCHMARK(row_product)
    ->Args({112, 28, 1, 256, kGelu})
    ->Args({28, 112, 1, 64, 0})
    ->Args({448, 112, 1, 64, kGelu})
    ->Args({112, 448, 1, 64, 0})
    ->Args({112, 112, 9, 64, 1})
    ->Args({29, 28, 9, 256, 0})
    ->Args({56, 28, 16, 128, 0})
    ->Unit(benchmark::kMicrosecond);

void depthwise_gelu(benchmark::State& state) {
  const auto channels = static_cast<int>(state.range(0));
  const std::size_t pitch = engine::pitch_of(256);
  const FloatBuffer in = random_floats(static_cast<std::size_t>(6 * channels) * pitch + 32);
  const FloatBuffer weights = random_floats(static_cast<std::size_t>(channels) * 9);
  FloatBuffer out(static_cast<std::size_t>(4 * channels) * 64);
  const float* rows[6];
  for (std::size_t r = 0; r < 6; ++r) rows[r] = in.data() + 16 + r * static_cast<std::size_t>(channels) * pitch;
  kernels::Depthwise c;
  c.weights = weights.data();
  c.channels = channels;
  c.rows = rows;
  c.pitch = pitch;
  c.pixels = 64;
  c.out_rows = 4;
  c.activation = Activation::gelu;
  c.out = out.data();
  c.out_pitch = 64;
  c.out_row_step = static_cast<std::size_t>(channels) * 64;
  for (auto _ : state) kernels::depthwise(c);
  report(state, 9.0 * 4 * 64 * channels, 4.0 * 64 * channels);
}
BENCHMARK(depthwise_gelu)->Arg(112)->Arg(448)->Unit(benchmark::kMicrosecond);

void gelu(benchmark::State& state) {
  const FloatBuffer values = random_floats(4096, 3);
  FloatBuffer x = values;
  for (auto _ : state) {
    x = values;  // in place again and again it would soon work on denormal numbers
    kernels::gelu(x.data(), x.size());
  }
  report(state, 0, 4096);
}
BENCHMARK(gelu)->Unit(benchmark::kMicrosecond);

void exponential(benchmark::State& state) {
  const FloatBuffer values = random_floats(4096, 3);
  FloatBuffer x = values;
  for (auto _ : state) {
    x = values;
    kernels::exponential(x.data(), x.size());
  }
  report(state, 0, 4096);
}
BENCHMARK(exponential)->Unit(benchmark::kMicrosecond);

void layer_norm(benchmark::State& state) {
  const FloatBuffer in = random_floats(28 * 272);
  FloatBuffer out(in.size());
  for (auto _ : state) kernels::layer_norm(in.data(), 272, 28, 256, nullptr, nullptr, out.data(), 272);
  report(state, 0, 28 * 256);
}
BENCHMARK(layer_norm)->Unit(benchmark::kMicrosecond);

void hash_and_sort(benchmark::State& state) {
  const FloatBuffer tokens = random_floats(28 * 272);
  const FloatBuffer alpha = random_floats(60);
  const FloatBuffer beta = random_floats(2);
  FloatBuffer codes(512);
  std::vector<double> scratch(256);
  std::vector<std::uint32_t> order(256);
  std::vector<std::uint64_t> room(512);
  for (auto _ : state) {
    kernels::hash_codes(tokens.data(), 272, 256, {alpha.data(), beta.data(), 28, 2, false}, codes.data(),
                        scratch.data());
    for (std::size_t r = 0; r < 2; ++r) kernels::sort_codes(codes.data() + 256 * r, 256, order.data(), room.data());
  }
  report(state, 2.0 * 256 * 30, 512);
}
BENCHMARK(hash_and_sort)->Unit(benchmark::kMicrosecond);

/// One bucket of 64 of 256 tokens; depth of queries and keys.
void bucket_attention(benchmark::State& state) {
  const auto depth = static_cast<int>(state.range(0));
  const FloatBuffer q = random_floats(static_cast<std::size_t>(depth) * 272, 0.5);
  const FloatBuffer k = random_floats(static_cast<std::size_t>(depth) * 272 + 1, 0.5);
  std::vector<std::uint32_t> bucket(64);
  Random random(1);
  for (auto& t : bucket) t = random.below(256);
  FloatBuffer product(static_cast<std::size_t>(depth) * 272), top(64), sum(64);
  FloatBuffer scratch(kernels::bucket_attention_scratch(64, depth, depth));
  kernels::BucketAttention a;
  a.q = q.data();
  a.k = a.v = k.data();
  a.pitch = a.product_pitch = 272;
  a.depth = a.value_depth = depth;
  a.bucket = bucket.data();
  a.size = 64;
  a.product = product.data();
  a.top = top.data();
  a.sum = sum.data();
  a.scratch = scratch.data();
  for (auto _ : state) kernels::bucket_attention(a);
  report(state, 2.0 * 64 * 64 * depth, 64.0 * 64);
}
BENCHMARK(bucket_attention)->Arg(28)->Arg(56)->Arg(112)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace snapcube::bench
