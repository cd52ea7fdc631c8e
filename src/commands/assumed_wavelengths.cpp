#include "commands/assumed_wavelengths.h"

#include <fmt/format.h>

#include <snapcube/log.h>
#include <snapcube/spectrum.h>

namespace snapcube {

bool assume_published_wavelengths(Cube& cube) {
  if (!cube.wavelengths.empty() || cube.bands() != static_cast<int>(published_wavelengths().size())) return false;
  cube.wavelengths = published_wavelengths();
  return true;
}

Cube read_cube_for_viewing(const std::string& location, const ReadOptions& options) {
  Cube cube = read_cube(location, options);
  if (assume_published_wavelengths(cube)) {
    log_info(fmt::format("{}: no wavelengths in the file; assuming the published ones", location));
  }
  return cube;
}

}  // namespace snapcube
