// MATLAB v5; v7.3 is hdf5's.

#include "check.h"
#include "io/mat5.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  if (is_mat5(bytes)) fuzzing::check_file(mat_format(), fuzzing::put_file("x.mat", bytes));
  return 0;
}
