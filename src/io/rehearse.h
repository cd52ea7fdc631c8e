#pragma once
// Libraries that damaged files can make crash are tried in a child process first.

#include <cstdint>
#include <functional>
#include <string>

namespace snapcube::io {

/// Calls `work` in a child process that may take max_bytes of memory and a minute. Throws InputError when it crashes
/// there, does not end, or wants more memory; an InputError that `work` throws there is thrown here. Otherwise nothing
/// happens, and the caller does the work once more itself, from the same state of memory, so with the same outcome.
/// `work` must not use OpenMP. `expected` is for the message: "an HDF5 file".
void rehearse(const std::string& path, const std::string& expected, std::uint64_t max_bytes,
              const std::function<void()>& work);

}  // namespace snapcube::io
