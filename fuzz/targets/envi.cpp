// ENVI: the header up to the first zero byte, then the values. A header that is parsed is written and parsed once more.

#include <algorithm>
#include <string_view>

#include <snapcube/error.h>

#include "check.h"
#include "io/envi_header.h"

using namespace snapcube;
using namespace snapcube::io;

namespace {

void check_header(std::string_view text) {
  std::optional<EnviHeader> header;
  try {
    header = parse_envi_header(text, "x.hdr");
  } catch (const InputError&) {
    return;
  }
  const EnviHeader again = parse_envi_header(envi_header_text(*header), "x.hdr");
  fuzzing::require(again.samples == header->samples && again.lines == header->lines && again.bands == header->bands &&
                       again.offset == header->offset && again.type == header->type &&
                       again.interleave == header->interleave && again.big_endian == header->big_endian &&
                       again.wavelengths == header->wavelengths && again.reflectance_scale == header->reflectance_scale,
                   "a header is the same after it was written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  const auto length = static_cast<std::size_t>(std::ranges::find(bytes, std::byte{0}) - bytes.begin());
  fuzzing::put_file("x.raw", bytes.subspan(std::min(length + 1, size)));
  fuzzing::check_file(envi_format(), fuzzing::put_file("x.hdr", bytes.first(length)));
  check_header({reinterpret_cast<const char*>(data), length});
  return 0;
}
