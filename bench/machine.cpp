#include "machine.h"

#include <omp.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace snapcube::bench {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// `rounds` times 12 independent multiply-adds on full vectors; returns the number of operations.
double MultiplyAdds(long rounds, float* sink) {
  const hn::ScalableTag<float> d;
  constexpr int kChains = 12;  // latency 4, two a cycle: eight are needed, twelve leave room
  hn::Vec<decltype(d)> a0 = hn::Set(d, 0.1f), a1 = a0, a2 = a0, a3 = a0, a4 = a0, a5 = a0;
  hn::Vec<decltype(d)> a6 = a0, a7 = a0, a8 = a0, a9 = a0, a10 = a0, a11 = a0;
  const auto m = hn::Set(d, 0.999f);
  const auto c = hn::Set(d, 0.001f);
  for (long i = 0; i < rounds; ++i) {
    a0 = hn::MulAdd(a0, m, c), a1 = hn::MulAdd(a1, m, c), a2 = hn::MulAdd(a2, m, c), a3 = hn::MulAdd(a3, m, c);
    a4 = hn::MulAdd(a4, m, c), a5 = hn::MulAdd(a5, m, c), a6 = hn::MulAdd(a6, m, c), a7 = hn::MulAdd(a7, m, c);
    a8 = hn::MulAdd(a8, m, c), a9 = hn::MulAdd(a9, m, c), a10 = hn::MulAdd(a10, m, c), a11 = hn::MulAdd(a11, m, c);
  }
  const auto left = hn::Add(hn::Add(hn::Add(a0, a1), hn::Add(a2, a3)), hn::Add(hn::Add(a4, a5), hn::Add(a6, a7)));
  *sink = hn::GetLane(hn::SumOfLanes(d, hn::Add(left, hn::Add(hn::Add(a8, a9), hn::Add(a10, a11)))));
  return 2.0 * kChains * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::bench
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <chrono>

#include <snapcube/array.h>

namespace snapcube::bench {

HWY_EXPORT(MultiplyAdds);

namespace {

template <typename Work>
double seconds(Work&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double triad(std::size_t floats, int repetitions) {
  FloatBuffer a(floats), b(floats, 1.0f), c(floats, 2.0f);
  const auto n = static_cast<long>(floats);
  double best = 0;
  for (int trial = 0; trial < 7; ++trial) {
    const double time = seconds([&] {
      for (int r = 0; r < repetitions; ++r) {
#pragma omp parallel for simd schedule(static)
        for (long i = 0; i < n; ++i)
          a[static_cast<std::size_t>(i)] = b[static_cast<std::size_t>(i)] + 0.5f * c[static_cast<std::size_t>(i)];
      }
    });
    best = std::max(best, 12.0 * static_cast<double>(floats) * repetitions / time);
  }
  return best;
}

}  // namespace

double memory_bandwidth() {
  static const double value = triad(std::size_t{64} << 20, 1);
  return value;
}

double frame_bandwidth() {
  static const double value = triad(std::size_t{28} * 256 * 256, 20);
  return value;
}

double fma_peak() {
  static const double value = [] {
    double best = 0;
    for (int trial = 0; trial < 5; ++trial) {
      double operations = 0;
      const double time = seconds([&] {
#pragma omp parallel reduction(+ : operations)
        {
          float sink = 0;
          operations += HWY_DYNAMIC_DISPATCH(MultiplyAdds)(20'000'000, &sink);
        }
      });
      best = std::max(best, operations / time);
    }
    return best;
  }();
  return value;
}

}  // namespace snapcube::bench
#endif
