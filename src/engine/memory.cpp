#include "engine/memory.h"

#include <cstdint>
#include <limits>
#include <new>
#include <sys/mman.h>

namespace snapcube::engine {

namespace {
constexpr std::size_t kLargePage = std::size_t{2} << 20;
}

Memory::Memory(std::size_t floats) : size_(floats) {
  if (floats == 0) return;
  if (floats > (std::numeric_limits<std::size_t>::max() - 2 * kLargePage) / sizeof(float)) throw std::bad_alloc();
  const bool large = floats * sizeof(float) >= kLargePage;
  length_ = floats * sizeof(float) + (large ? kLargePage : 0);
  start_ = ::mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start_ == MAP_FAILED) {
    start_ = nullptr;
    throw std::bad_alloc();
  }
  auto address = reinterpret_cast<std::uintptr_t>(start_);
  if (large) {
    address = (address + kLargePage - 1) / kLargePage * kLargePage;
    // The last page only where it is filled: a large one would be resident as a whole.
    const std::size_t whole = floats * sizeof(float) / kLargePage * kLargePage;
    ::madvise(reinterpret_cast<void*>(address), whole,
              MADV_HUGEPAGE);  // a hint; without it nothing changes but the time
  }
  data_ = reinterpret_cast<float*>(address);
}

Memory::~Memory() {
  if (start_) ::munmap(start_, length_);
}

}  // namespace snapcube::engine
