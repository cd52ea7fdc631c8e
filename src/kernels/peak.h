#pragma once
// What the processor can do at best, to measure everything else by.

namespace snapcube::kernels {

/// Runs `rounds` rounds of independent fused multiply-adds on full vectors, in registers, on the calling thread;
/// returns how many that were, counted by element. `sink` takes a value that depends on all of them.
double run_multiply_adds(long rounds, float* sink);

}  // namespace snapcube::kernels
