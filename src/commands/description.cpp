#include "commands/description.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/log.h>

#include "base/text.h"

namespace snapcube {

namespace {

std::string count_text(int count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// The distance between neighbours, where it is the same for all; otherwise the range of the positions.
std::string spacing_text(const Camera& camera, const std::vector<double>& offsets) {
  const std::string axis = camera.axis() == Axis::columns ? "along the columns" : "along the rows";
  if (offsets.size() < 2) return "";
  const double step = offsets[1] - offsets[0];
  bool even = true;
  for (std::size_t b = 1; b < offsets.size(); ++b) even = even && std::abs(offsets[b] - offsets[b - 1] - step) < 1e-4;
  if (even) return fmt::format(" {:g} pixel{} apart {}", step, std::abs(step) == 1 ? "" : "s", axis);
  return fmt::format(" at measured positions over {:.4g} pixels {}", *std::ranges::max_element(offsets), axis);
}

}  // namespace

std::string cube_text(const Cube& cube) {
  std::string text = fmt::format("{} of {}", count_text(cube.bands(), "band"), shape_text(cube.height(), cube.width()));
  if (!cube.wavelengths.empty()) {
    const auto [low, high] = std::ranges::minmax(cube.wavelengths);
    text += fmt::format(", {:.4g}–{:.4g} nm", low, high);
  }
  return text;
}

std::string camera_text(const Camera& camera) {
  return fmt::format("{}{}, a mask of {}", count_text(camera.bands(), "band"), spacing_text(camera, camera.offsets()),
                     shape_text(camera.height(), camera.width()));
}

void tell_written(const std::string& path, const std::string& what) {
  log_info(fmt::format("wrote {}: {}", path, what));
}

void tell_written(const std::string& path, const std::string& what, const Image& image) {
  tell_written(path, fmt::format("{}, {}", what, shape_text(image.height(), image.width())));
}

}  // namespace snapcube
