#include <algorithm>

#include <snapcube/render.h>

#include "render/map_picture.h"

namespace snapcube {

Picture render_sparsity_map(const SparsityMap& map) {
  const Image& m = map.values;
  const int zoom = map_zoom(m);
  const auto [low, high] = std::minmax_element(m.values().begin(), m.values().end());
  Canvas canvas = m.empty() ? Canvas(0, 0, grey(0)) : map_picture(m, *low, *high);
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
