#include <algorithm>
#include <fmt/format.h>

#include <snapcube/array.h>
#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

void check_region(const Region& r, int height, int width) {
  const bool inside = r.top >= 0 && r.left >= 0 && r.height > 0 && r.width > 0 && r.height <= height &&
                      r.width <= width && r.top <= height - r.height && r.left <= width - r.width;
  if (!inside) {
    throw InputError("crop", "region", fmt::format("a rectangle inside {}", shape_text(height, width)),
                     fmt::format("{} at row {}, column {}", shape_text(r.height, r.width), r.top, r.left));
  }
}

}  // namespace

Image crop(const Image& image, const Region& region) {
  check_region(region, image.height(), image.width());
  Image result(region.height, region.width);
  for (int y = 0; y < region.height; ++y) {
    std::copy_n(image.row(region.top + y) + region.left, region.width, result.row(y));
  }
  return result;
}

Cube crop(const Cube& cube, const Region& region) {
  check_region(region, cube.height(), cube.width());
  Cube result(cube.bands(), region.height, region.width);
  result.wavelengths = cube.wavelengths;
  for (int b = 0; b < cube.bands(); ++b) {
    for (int y = 0; y < region.height; ++y) {
      std::copy_n(cube.row(b, region.top + y) + region.left, region.width, result.row(b, y));
    }
  }
  return result;
}

}  // namespace snapcube
