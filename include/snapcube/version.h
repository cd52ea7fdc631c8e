#pragma once
/// Which version this is: of the headers (the macros) and of the library that is loaded (the function).
/// While the first number is 0, programs must be compiled anew when the second changes.
///
/// Thread safety: any thread may call this at any time.

#define SNAPCUBE_VERSION_MAJOR 0
#define SNAPCUBE_VERSION_MINOR 2
#define SNAPCUBE_VERSION_PATCH 0
#define SNAPCUBE_VERSION_STRING "0.2.0"
/// 1.2.3 is 10203: what the preprocessor can compare.
#define SNAPCUBE_VERSION (SNAPCUBE_VERSION_MAJOR * 10000 + SNAPCUBE_VERSION_MINOR * 100 + SNAPCUBE_VERSION_PATCH)

namespace snapcube {

/// "0.2.0", of the library in use.
const char* version();

}  // namespace snapcube
