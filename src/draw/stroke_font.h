#pragma once
// A stroke font: each glyph is a few lines and arcs along the middle of the pen's path. It has
// printable ASCII and the signs λ ° × – · µ ² ≥. Other characters, and bytes that are not UTF-8,
// show as an empty box.

#include <string>
#include <string_view>
#include <vector>

#include "draw/raster.h"

namespace snapcube {

/// Font units: capitals are 10 high, small letters 7, descenders reach to −3; y points up from the
/// baseline.
inline constexpr double kCapHeight = 10;
inline constexpr double kSmallHeight = 7;
/// One em, the "size" of a text, in font units.
inline constexpr double kEm = 14;
/// Width of the pen at weight 1.
inline constexpr double kPen = 1.2;

struct Glyph {
  /// From this glyph's origin to the next one's.
  double advance = 0;
  std::vector<std::vector<Point>> strokes;
};

const Glyph& glyph_of(char32_t character);

/// The code points of a UTF-8 text; each byte that belongs to no valid sequence becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);

}  // namespace snapcube
