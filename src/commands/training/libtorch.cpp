#include "commands/training/libtorch.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include <snapcube/error.h>

namespace snapcube {

void let_blas_use_this_processor(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable)) return;
  using CoreName = char* (*)();
  const auto core_name = reinterpret_cast<CoreName>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  if (!core_name || std::strcmp(core_name(), "Prescott") != 0) return;
#if defined(__x86_64__)
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return;
  ::setenv(kVariable, wide ? "SkylakeX" : "Haswell", 1);
  ::execv("/proc/self/exe", argv);  // if that fails, the slow one still works
#endif
}

void keep_freed_memory() {
  // Whoever sets glibc's own variables knows why.
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") || std::getenv("GLIBC_TUNABLES")) return;
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, 2'000'000'000);
  ::mallopt(M_TOP_PAD, 1 << 28);
}

void use_threads(int threads) {
  const int count = threads > 0 ? threads : omp_get_num_procs();
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
