#pragma once
// Where the time goes: by layer, on the clock of the wall, and by kernel, summed over threads.

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace snapcube::engine {

enum class Kernel {
  gather,
  norm,
  hash,
  project,
  attend,
  mix,
  expand,
  depthwise,
  reduce,
  convolve,
  resample,
  gram,
  fold,
  count
};
constexpr auto kKernels = static_cast<std::size_t>(Kernel::count);
const std::array<const char*, kKernels>& kernel_names();

/// Seconds that one thread spent in each kernel. Off until asked for: reading the clock takes time too.
struct KernelTimes {
  bool on = false;
  std::array<double, kKernels> seconds{};

  using Clock = std::chrono::steady_clock;
  template <typename F>
  void measure(Kernel kernel, const F& f) {
    if (!on) return f();
    const auto start = Clock::now();
    f();
    seconds[static_cast<std::size_t>(kernel)] += std::chrono::duration<double>(Clock::now() - start).count();
  }
};

struct LayerTime {
  std::string name;
  double seconds = 0;
};

struct Profile {
  std::vector<LayerTime> layers;
  KernelTimes kernels;
};

/// Fused multiply-adds per second, by element, that `threads` threads reach together in registers: the best of several
/// short runs.
double measured_peak(int threads);

}  // namespace snapcube::engine
