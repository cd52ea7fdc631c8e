#pragma once
// Where the parts of a preview go. Sizes are in pixels.

#include <vector>

#include "render/canvas.h"

namespace snapcube {

/// Space around and between.
inline constexpr int kMargin = 28;
inline constexpr int kGap = 16;
inline constexpr int kTitleHeight = 84;
/// Height of the line of text under a panel, and under a band.
inline constexpr int kCaption = 34;
inline constexpr int kLabel = 24;

/// Height and width of an image.
struct Extent {
  int height = 1;
  int width = 1;
};

/// The largest frame of the image's shape in a box; an image that would become a hair line is
/// widened to 6 pixels.
Extent fitted(const Extent& image, int box_height, int box_width);

struct PreviewLayout {
  int width = 0;
  int height = 0;
  /// One for each image of the top row, in order.
  std::vector<Frame> panels;
  /// Between them and the bands; of height 0 unless asked for.
  Frame plot;
  std::vector<Frame> bands;
};

/// `reserve` is space at the right end of the top row, for a colour bar. Frames of more than 512 pixels get a wider
/// picture with larger bands, up to twice as wide.
PreviewLayout lay_out(const std::vector<Extent>& panels, const Extent& band, int bands, int reserve, bool plot = false);

}  // namespace snapcube
