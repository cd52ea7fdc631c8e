#pragma once
// What C programs hold in place of pointers: numbers that are given out once. A handle that was freed, or never
// existed, is told from a good one without touching any memory; what it stood for lives until the last call that works
// with it ends.

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <snapcube/error.h>

namespace snapcube::c_api {

/// Gives out objects of type T under opaque pointers of type Handle*.
template <typename Handle, typename T>
class Handles {
 public:
  Handle* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_;
    objects_.emplace(number, std::move(object));
    next_ += kStep;
    return reinterpret_cast<Handle*>(number);  // NOLINT(performance-no-int-to-ptr): it never becomes an address
  }

  /// Throws InputError for what is no handle (any more); `name` is that of the argument.
  std::shared_ptr<T> get(const Handle* handle, const char* name) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) {
      throw InputError("snapcube", name, "a handle in use", handle ? "one that was freed, or none" : "a null pointer");
    }
    return found->second;
  }

  void remove(const Handle* handle) {
    std::shared_ptr<T> last;  // declared before the lock: destroyed after it is released
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) return;
    last = std::move(found->second);
    objects_.erase(found);
  }

 private:
  /// Multiples of it look like pointers to whoever packs flags into the low bits.
  static constexpr std::uintptr_t kStep = 16;

  mutable std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<T>> objects_;
  std::uintptr_t next_ = kStep;
};

}  // namespace snapcube::c_api
