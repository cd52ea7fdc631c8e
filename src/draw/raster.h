#pragma once
// Anti-aliased shapes as coverage: how much of each pixel a shape covers, 0 … 1. Coordinates are in
// pixels; (0,0) is the top left corner of the first pixel and (0.5, 0.5) its centre. Shapes may lie
// anywhere; what is outside of the image is cut off. Shapes drawn into the same image unite: a
// pixel keeps the largest coverage.

#include <span>
#include <string_view>

#include <snapcube/array.h>

namespace snapcube {

struct Point {
  double x = 0;
  double y = 0;
};

/// The exact area of a polygon in each pixel. The outline closes itself and does not cross itself.
void fill_polygon(Image& coverage, std::span<const Point> outline);
void fill_rectangle(Image& coverage, double left, double top, double width, double height);
/// A polygon of many corners that has the disc's area.
void fill_disc(Image& coverage, Point centre, double radius);

/// A line of the given width with round caps and joins; a single point gives a dot. Across the line
/// the coverage is the exact overlap of pixel and line, so that lines thinner than a pixel fade
/// instead of breaking.
void stroke_polyline(Image& coverage, std::span<const Point> line, double width);

struct TextStyle {
  /// The font's em in pixels (stroke_font.h).
  double size = 14;
  /// Factor of the pen's width.
  double weight = 1;
  /// Moves stems and heights to whole pixels, which keeps small text sharp. Without it text looks
  /// the same at each scale, as scenes need it.
  bool fit_to_pixels = true;
};

/// UTF-8 text; `left` is where the first glyph begins and `baseline` what its letters stand on.
void draw_text(Image& coverage, std::string_view text, Point left_baseline, const TextStyle& style);

/// How far the pen moves: the distance from the text's beginning to where further text would begin.
double text_width(std::string_view text, const TextStyle& style);

}  // namespace snapcube
