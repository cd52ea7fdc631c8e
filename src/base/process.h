#pragma once
// What the system tells about this process.

#include <cstdint>

namespace snapcube {

/// The most memory the process has occupied so far, in bytes.
std::uint64_t peak_resident_bytes();

/// Lets the first megabytes of the heap lie in large pages and keeps what is freed: a short command otherwise spends a
/// sixth of its time on page faults. To be called first of all; without glibc it does nothing.
void prepare_heap();

}  // namespace snapcube
