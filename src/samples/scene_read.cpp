#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>
#include <snapcube/spectrum.h>

#include "samples/scene_files.h"

namespace snapcube {

namespace {

/// 16-bit data is also found stored as floating point: whole numbers up to 65535.
void scale_whole_numbers(Cube& cube, const std::string& source) {
  const float most = *std::ranges::max_element(cube.values());
  if (most <= 255 || most > 65535) return;
  if (!std::ranges::all_of(cube.values(), [](float v) { return v == std::floor(v); })) return;
  for (float& v : cube.values()) v /= 65535;
  log_info(fmt::format("{}: whole numbers up to {}, divided by 65535", source, most));
}

}  // namespace

Cube read_scene(const std::string& location, const ModelConfig& model) {
  Cube cube = read_cube(location);
  scale_whole_numbers(cube, location);
  if (!model.wavelengths.empty() && !cube.wavelengths.empty()) {
    if (cube.wavelengths == model.wavelengths) return cube;
    return resample(cube, model.wavelengths, Interpolation::linear, location);
  }
  if (cube.bands() != model.bands) {
    throw InputError(location, "bands",
                     model.wavelengths.empty()
                         ? fmt::format("{}, as the model has (it has no wavelengths to resample to)", model.bands)
                         : fmt::format("{}, as the model has, or wavelengths to resample from", model.bands),
                     std::to_string(cube.bands()));
  }
  if (!model.wavelengths.empty()) {
    log_info(fmt::format("{}: has no wavelengths; assuming that its {} bands are the model's", location, model.bands));
  }
  return cube;
}

}  // namespace snapcube
