#pragma once
// Libraries that damaged files can make crash are tried in a child process first.

#include <functional>
#include <string>

namespace snapcube {

/// Calls `work` in a child process and throws InputError when that crashes or does not end. What `work` returns or
/// throws is of no account: the caller does it once more itself, from the same state of memory, so with the same
/// outcome. `work` must not use OpenMP. `expected` is for the message: "an HDF5 file".
void rehearse(const std::string& path, const std::string& expected, const std::function<void()>& work);

}  // namespace snapcube
