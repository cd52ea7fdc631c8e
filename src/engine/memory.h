#pragma once
// Large memory from the system: zero, untouched until it is used, and in large pages where the system has them, which
// spares tens of thousands of page faults for a frame and most misses of the address caches.

#include <cstddef>
#include <utility>

namespace snapcube::engine {

class Memory {
 public:
  Memory() = default;
  /// Throws std::bad_alloc.
  explicit Memory(std::size_t floats);
  ~Memory();
  Memory(Memory&& other) noexcept { swap(other); }
  Memory& operator=(Memory&& other) noexcept {
    swap(other);
    return *this;
  }

  /// Aligned to a cache line at least.
  float* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  void swap(Memory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(start_, other.start_);
    std::swap(length_, other.length_);
  }

  float* data_ = nullptr;
  std::size_t size_ = 0;
  void* start_ = nullptr;
  std::size_t length_ = 0;
};

}  // namespace snapcube::engine
