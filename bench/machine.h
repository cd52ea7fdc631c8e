#pragma once
// What this machine can do, measured in the same run as what is compared with it.

namespace snapcube::bench {

/// Bytes per second of a[i] = b[i] + s·c[i] over arrays far larger than the caches, all threads; written bytes count
/// once.
double memory_bandwidth();
/// The same over arrays that together have the size of one frame's cube and duals, so that caches help as they do
/// there.
double frame_bandwidth();
/// Single-precision operations per second, a fused multiply-add being two, all threads.
double fma_peak();

}  // namespace snapcube::bench
