#include "engine/profile.h"

#include <algorithm>
#include <thread>

#include "kernels/peak.h"

namespace snapcube::engine {

const std::array<const char*, kKernels>& kernel_names() {
  static const std::array<const char*, kKernels> names = {
      "gather windows",      "LayerNorm",     "hash and sort",       "projections", "bucket attention",
      "mix rounds",          "1×1, first",    "depthwise 3×3 + act", "1×1, second", "convolutions",
      "resample and copies", "Gram matrices", "fold attention",
  };
  return names;
}

double measured_peak(int threads) {
  // Spread over a while: on a shared machine a core may be gone for a moment, and a peak is the best there is.
  constexpr long kRounds = 1'000'000;
  constexpr int kTrials = 40;
  double best = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
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
