// NumPy archives.

#include "check.h"

using namespace snapcube;
using namespace snapcube::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::check_file(npz_format(), fuzzing::put_file("x.npz", fuzzing::as_span(data, size)));
  return 0;
}
