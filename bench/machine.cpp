#include "machine.h"

#include <algorithm>
#include <chrono>
#include <omp.h>

#include <snapcube/array.h>

#include "engine/profile.h"

namespace snapcube::bench {

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
  static const double value = 2 * engine::measured_peak(omp_get_max_threads());
  return value;
}

}  // namespace snapcube::bench
