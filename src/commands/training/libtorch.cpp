#include "commands/training/libtorch.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <sched.h>

#include <snapcube/error.h>

namespace snapcube {

namespace {

/// Cores that this process may use.
int available_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return omp_get_num_procs();
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

void keep_freed_memory() {
  // Whoever sets glibc's own variables knows why.
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") || std::getenv("GLIBC_TUNABLES")) return;
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  ::mallopt(M_TOP_PAD, 1 << 28);
}

void use_threads(int threads) {
  const int count = threads > 0 ? threads : available_cores();
  omp_set_num_threads(count);
  torch::set_num_threads(count);
}

torch::Device device_named(const std::string& name) {
  try {
    const torch::Device device(name);
    if (device.is_cpu() || (device.is_cuda() && torch::cuda::is_available())) return device;
  } catch (const c10::Error&) {
    throw InputError("--device", "", "cpu, cuda or cuda:N", fmt::format("'{}'", name));
  }
  throw InputError("--device", "", "a device of this libtorch: cpu", fmt::format("'{}'", name));
}

}  // namespace snapcube
