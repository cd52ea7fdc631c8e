#include "render/map_picture.h"

#include <algorithm>

#include <snapcube/render.h>

#include "render/colour_map.h"

namespace snapcube {

int map_zoom(const Image& map) { return std::clamp(512 / std::max({1, map.height(), map.width()}), 1, 8); }

Canvas map_picture(const Image& map, double low, double high) {
  const int zoom = map_zoom(map);
  const double range = high > low ? high - low : 1.0;
  Canvas canvas(map.height() * zoom, map.width() * zoom, grey(0));
  for (int y = 0; y < map.height() * zoom; ++y) {
    for (int x = 0; x < map.width() * zoom; ++x) {
      canvas.set(y, x, error_colour((static_cast<double>(map(y / zoom, x / zoom)) - low) / range));
    }
  }
  return canvas;
}

Picture render_expected_error(const Image& error) {
  const double most = error.empty() ? 0.0 : std::ranges::max(error.values());
  return map_picture(error, 0, most).picture();
}

}  // namespace snapcube
