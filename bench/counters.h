#pragma once

#include <benchmark/benchmark.h>

namespace snapcube::bench {

/// The CSV reporter wants every counter in every run.
inline void declare_counters(benchmark::State& state) {
  for (const char* name :
       {"GB/s", "of_triad", "dB", "memory_GB/s", "frame_GB/s", "FMA_GFLOP/s", "GFLOP/s", "of_peak", "Gelements/s"}) {
    state.counters[name] = 0;
  }
}

}  // namespace snapcube::bench
