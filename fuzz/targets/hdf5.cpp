// HDF5; with MATLAB's text in front as MATLAB v7.3.

#include <string_view>

#include "check.h"

using namespace snapcube;
using namespace snapcube::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bool matlab = std::string_view(reinterpret_cast<const char*>(data), size).starts_with("MATLAB 7.3");
  fuzzing::check_file(matlab ? mat_format() : hdf5_format(), fuzzing::put_file("x.h5", fuzzing::as_span(data, size)));
  return 0;
}
