#pragma once
// What the system tells about this process.

#include <cstdint>

namespace snapcube {

/// The most memory the process has occupied so far, in bytes.
std::uint64_t peak_resident_bytes();

}  // namespace snapcube
