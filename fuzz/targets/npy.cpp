// NumPy arrays; what is parsed is written and parsed once more.

#include "io/npy.h"

#include <optional>

#include <snapcube/error.h>

#include "check.h"

using namespace snapcube;
using namespace snapcube::io;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  fuzzing::check_file(npy_format(), fuzzing::put_file("x.npy", bytes));
  std::optional<StoredArray> array;
  try {
    array = parse_npy(bytes, "x.npy", fuzzing::kMaxBytes);
  } catch (const InputError&) {
    return 0;
  }
  const StoredArray again = parse_npy(npy_file(array->shape, array->type, array->bytes), "x.npy", fuzzing::kMaxBytes);
  fuzzing::require(again.shape == array->shape && again.type == array->type && again.bytes == array->bytes,
                   "an array is the same after it was written");
  return 0;
}
