// Frames without a header: the first two bytes choose size and type, the rest is the file.

#include <cmath>

#include <snapcube/detector.h>
#include <snapcube/error.h>

#include "check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  RawLayout layout;
  layout.width = 1 + data[0] % 16;
  layout.height = 1 + data[0] / 16;
  layout.type = static_cast<RawLayout::Type>(data[1] % 5);
  const std::string path = fuzzing::put_file("x.raw", fuzzing::as_span(data + 2, size - 2));
  try {
    const std::int64_t frames = count_frames(path, layout);
    const RawImage raw = read_raw(path, layout, frames - 1);
    for (const float v : raw.counts.values()) fuzzing::require(v >= 0 && v <= raw.largest, "counts of the type");
    PreparedFrame frame;
    Detector detector;
    detector.saturation = data[1];
    prepare(raw.counts, detector, path, frame);
    for (const float v : frame.values.values()) fuzzing::require(std::isfinite(v), "finite light");
  } catch (const Error&) {
  }
  return 0;
}
