#pragma once
// Loops over all threads whose bodies may throw. (An exception that leaves an OpenMP region ends the program.)

#include <cstdint>
#include <exception>
#include <optional>

namespace snapcube {

/// Calls f(i, scratch) for i = 0 … n−1. Each thread makes itself one scratch = make_scratch(), before its first call.
/// Of several exceptions that of the lowest index goes on, so that a message does not depend on the threads.
template <typename MakeScratch, typename F>
void parallel_for(std::int64_t n, MakeScratch&& make_scratch, F&& f) {
  std::exception_ptr error;
  std::int64_t error_index = n;
#pragma omp parallel
  {
    std::optional<decltype(make_scratch())> scratch;
#pragma omp for schedule(dynamic)
    for (std::int64_t i = 0; i < n; ++i) {
      try {
        if (!scratch) scratch.emplace(make_scratch());
        f(i, *scratch);
      } catch (...) {
#pragma omp critical(snapcube_parallel_for)
        if (i < error_index) {
          error_index = i;
          error = std::current_exception();
        }
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

/// Calls f(i) for i = 0 … n−1.
template <typename F>
void parallel_for(std::int64_t n, F&& f) {
  struct Nothing {};
  parallel_for(
      n, [] { return Nothing{}; }, [&f](std::int64_t i, Nothing&) { f(i); });
}

}  // namespace snapcube
