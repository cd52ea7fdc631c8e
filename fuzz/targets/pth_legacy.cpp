// PyTorch's older format.

#include "weights_check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  if (!is_pth_legacy(bytes)) return 0;
  fuzzing::check_pth(bytes);
  fuzzing::check_weights_file(bytes);
  return 0;
}
