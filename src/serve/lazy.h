#pragma once
// A value that is computed when it is first asked for, once, whichever thread asks.

#include <mutex>
#include <optional>

namespace snapcube {

template <typename T>
class Lazy {
 public:
  /// If `make` throws, the next call tries again.
  template <typename Make>
  const T& get(Make&& make) {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  std::once_flag once_;
  std::optional<T> value_;
};

}  // namespace snapcube
