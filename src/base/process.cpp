#include "base/process.h"

#include <cstdlib>
#include <initializer_list>
#include <sys/resource.h>
#if defined(__GLIBC__)
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace snapcube {

std::uint64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

void prepare_heap() {
#if defined(__GLIBC__)
  // Whoever sets glibc's own variables knows why.
  for (const char* name : {"GLIBC_TUNABLES", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_", "MALLOC_TRIM_THRESHOLD_"}) {
    if (std::getenv(name)) return;
  }
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  constexpr std::size_t kFirst = 16 * kLargePage;
  // Frames up to this size come from the heap, larger ones straight from the system.
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 2 * static_cast<int>(kFirst));
  ::mallopt(M_TOP_PAD, static_cast<int>(kFirst));
  char* const before = static_cast<char*>(::sbrk(0));
  void* volatile some = std::malloc(kLargePage);  // more than the heap has: it grows by kFirst
  std::free(some);
  ::mallopt(M_TOP_PAD, static_cast<int>(kLargePage));
  const auto from = reinterpret_cast<std::uintptr_t>(before);
  const std::uintptr_t start = (from + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(::sbrk(0)) / kLargePage * kLargePage;
  if (start < end) ::madvise(before + (start - from), end - start, MADV_HUGEPAGE);  // a hint
#endif
}

}  // namespace snapcube
