#include <algorithm>
#include <cmath>

#include <snapcube/render.h>

#include "render/canvas.h"
#include "render/colour_map.h"

namespace snapcube {

namespace {

/// Magnification: small frames get windows that a person can see.
int zoom_of(const Image& map) { return std::clamp(512 / std::max({1, map.height(), map.width()}), 1, 8); }

}  // namespace

Picture render_sparsity_map(const SparsityMap& map) {
  const Image& m = map.values;
  const int zoom = zoom_of(m);
  const auto [low, high] = std::minmax_element(m.values().begin(), m.values().end());
  const double range = m.empty() || *high <= *low ? 1.0 : static_cast<double>(*high) - *low;
  Canvas canvas(m.height() * zoom, m.width() * zoom, grey(0));
  for (int y = 0; y < m.height() * zoom; ++y) {
    for (int x = 0; x < m.width() * zoom; ++x) {
      canvas.set(y, x, error_colour((static_cast<double>(m(y / zoom, x / zoom)) - *low) / range));
    }
  }
  const Ink line{0.35, 0.85, 1.0};
  for (const Region& r : map.kept) {
    // Just inside the window, so that the lines of neighbours stand side by side; cut off at the frame.
    const int bottom = std::min((r.top + r.height) * zoom, m.height() * zoom) - 1;
    const int right = std::min((r.left + r.width) * zoom, m.width() * zoom) - 1;
    for (int x = r.left * zoom; x <= right; ++x) {
      if (r.top * zoom > bottom) break;
      canvas.set(r.top * zoom, x, line);
      canvas.set(bottom, x, line);
    }
    for (int y = r.top * zoom; y <= bottom; ++y) {
      if (r.left * zoom > right) break;
      canvas.set(y, r.left * zoom, line);
      canvas.set(y, right, line);
    }
  }
  return canvas.picture();
}

}  // namespace snapcube
