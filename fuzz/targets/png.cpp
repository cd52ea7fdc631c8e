// PNG.

#include "check.h"
#include "png_chunks.h"

using namespace snapcube;
using namespace snapcube::io;

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return fuzzing::mutate_pngs(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::check_file(png_format(), fuzzing::put_file("x.png", fuzzing::as_span(data, size)));
  return 0;
}
