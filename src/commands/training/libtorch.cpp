#include "commands/training/libtorch.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <malloc.h>
#include <omp.h>
#include <unistd.h>

#include <snapcube/error.h>

#include "base/openmp_waiting.h"

namespace snapcube {

namespace {

/// Whether it has to be told what processor this is; tells it then.
bool tell_blas_the_processor() {
#if defined(__x86_64__)
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  if (std::getenv(kVariable)) return false;
  using CoreName = char* (*)();
  const auto core_name = reinterpret_cast<CoreName>(::dlsym(RTLD_DEFAULT, "openblas_get_corename"));
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  const std::string name = core_name ? core_name() : "";
  // To 0.3.21 every Zen is the first, which had no AVX-512.
  if (name != "Prescott" && !(name == "Zen" && wide)) return false;
  if (!wide && !(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))) return false;
  return ::setenv(kVariable, wide ? "SkylakeX" : "Haswell", 1) == 0;
#else
  return false;
#endif
}

}  // namespace

void set_up_libraries(char** argv) {
  const bool blas = tell_blas_the_processor();
  const bool threads = let_waiting_threads_sleep();
  if (blas || threads) ::execv("/proc/self/exe", argv);  // if that fails, the program is slower, but works
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
