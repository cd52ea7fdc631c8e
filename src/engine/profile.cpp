#include "engine/profile.h"

#include <algorithm>

#include "kernels/peak.h"

namespace snapcube::engine {

const std::array<const char*, kKernels>& kernel_names() {
  static const std::array<const char*, kKernels> names = {
      "gather windows", "LayerNorm",           "hash and sort", "projections",  "bucket attention",    "mix rounds",
      "1×1, first",     "depthwise 3×3 + act", "1×1, second",   "convolutions", "resample and copies",
  };
  return names;
}

double measured_peak(int threads) {
  constexpr long kRounds = 1'000'000;
  double best = 0;
  for (int trial = 0; trial < 12; ++trial) {
    double count = 0;
    const auto start = KernelTimes::Clock::now();
#pragma omp parallel num_threads(threads) reduction(+ : count)
    {
      float sink = 0;
      count += kernels::run_multiply_adds(kRounds, &sink);
    }
    best = std::max(best, count / std::chrono::duration<double>(KernelTimes::Clock::now() - start).count());
  }
  return best;
}

}  // namespace snapcube::engine
