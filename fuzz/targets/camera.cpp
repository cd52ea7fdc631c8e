// Camera files: what is accepted must make a camera.

#include <cmath>

#include <snapcube/camera_file.h>
#include <snapcube/error.h>

#include "check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzzing::put_file("x.h5", fuzzing::as_span(data, size));
  try {
    const CameraFile file = read_camera(path, {.max_bytes = fuzzing::kMaxBytes});
    const Camera camera = file.camera();
    fuzzing::require(camera.bands() == file.bands(), "a position for each band");
    for (const float v : camera.mask().values())
      fuzzing::require(std::isfinite(v) && v >= 0, "a mask of finite values");
  } catch (const Error&) {
  }
  return 0;
}
