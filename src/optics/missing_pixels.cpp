#include "optics/missing_pixels.h"

#include <algorithm>

namespace snapcube {

void fill_missing(const ImageView& weighed, const Camera& camera, Image& y) {
  if (y.height() != weighed.height() || y.width() != weighed.width()) y = Image(weighed.height(), weighed.width());
  copy(weighed, y);
  if (!camera.weighted()) return;
  const Image& root = camera.root_weights();
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (root.data()[i] > 0) y.data()[i] /= root.data()[i];
  }
  // Φ1 without weights: what a white scene gives at every pixel.
  Cube white(camera.bands(), camera.height(), camera.width());
  for (int b = 0; b < camera.bands(); ++b) {
    for (int r = 0; r < camera.height(); ++r) std::copy_n(camera.mask_row(b, r), camera.width(), white.row(b, r));
  }
  const Image light = camera.shift_sum(white);
  const auto guess = [&](int row, int column) {
    for (int reach = 1; reach < std::max(y.height(), y.width()); ++reach) {
      double values = 0;
      double lights = 0;
      int known = 0;
      int all = 0;
      for (int r = std::max(0, row - reach); r <= std::min(y.height() - 1, row + reach); ++r) {
        for (int c = std::max(0, column - reach); c <= std::min(y.width() - 1, column + reach); ++c) {
          ++all;
          if (!(root(r, c) > 0)) continue;
          ++known;
          values += y(r, c);
          lights += light(r, c);
        }
      }
      if ((2 * known >= all || known >= 9) && lights > 0)
        return static_cast<float>(values / lights * light(row, column));
    }
    return 0.0f;
  };
  // y keeps its known pixels, and only those are read.
  for (int r = 0; r < y.height(); ++r) {
    for (int c = 0; c < y.width(); ++c) {
      if (!(root(r, c) > 0)) y(r, c) = guess(r, c);
    }
  }
}

}  // namespace snapcube
