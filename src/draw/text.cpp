#include <algorithm>
#include <cmath>
#include <vector>

#include "draw/raster.h"
#include "draw/stroke_font.h"

namespace snapcube {
namespace {

/// Heights of a font in pixels: the lines that the eye aligns (baseline, small letters, capitals)
/// fall on whole pixels.
struct VerticalFit {
  double scale;
  double small;
  double cap;

  explicit VerticalFit(const TextStyle& style)
      : scale(style.size / kEm), small(kSmallHeight * scale), cap(kCapHeight * scale) {
    if (!style.fit_to_pixels) return;
    small = std::max(3.0, std::round(small));
    cap = std::max(small + 1, std::round(cap));
  }
  /// Font units above the baseline to pixels: linear between the fitted heights.
  double operator()(double y) const {
    if (y <= 0) return y * scale;
    if (y <= kSmallHeight) return y / kSmallHeight * small;
    return small + (y - kSmallHeight) / (kCapHeight - kSmallHeight) * (cap - small);
  }
};

double advance(char32_t character, const TextStyle& style) {
  const double width = glyph_of(character).advance * style.size / kEm;
  return style.fit_to_pixels ? std::max(1.0, std::round(width)) : width;
}

}  // namespace

double text_width(std::string_view text, const TextStyle& style) {
  double width = 0;
  for (const char32_t character : decode_utf8(text)) width += advance(character, style);
  return width;
}

void draw_text(Image& coverage, std::string_view text, Point left_baseline, const TextStyle& style) {
  if (!(style.size > 0)) return;
  const VerticalFit height(style);
  double pen = kPen * style.weight * height.scale;
  Point origin = left_baseline;
  if (style.fit_to_pixels) {
    // A pen of about one pixel; its middle goes through the middle of a pixel.
    pen = std::max(pen, 0.95 * std::min(style.weight, 1.0));
    origin = {std::floor(origin.x) + 0.5, std::round(origin.y) - 0.5};
  }
  std::vector<Point> line;
  for (const char32_t character : decode_utf8(text)) {
    for (const auto& stroke : glyph_of(character).strokes) {
      line.clear();
      for (const Point& p : stroke) line.push_back({origin.x + p.x * height.scale, origin.y - height(p.y)});
      stroke_polyline(coverage, line, pen);
    }
    origin.x += advance(character, style);
  }
}

}  // namespace snapcube
