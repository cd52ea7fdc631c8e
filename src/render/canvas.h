#pragma once
// A picture to lay things out on: panels, text, boxes.

#include <span>
#include <string_view>

#include <snapcube/array.h>
#include <snapcube/render.h>

#include "draw/raster.h"
#include "render/colour.h"
#include "render/linear_colour.h"

namespace snapcube {

/// Encoded sRGB in [0,1].
using Ink = Triple;
constexpr Ink grey(double level) { return {level, level, level}; }

/// A rectangle of whole pixels on a canvas.
struct Frame {
  int left = 0;
  int top = 0;
  int width = 0;
  int height = 0;
  int right() const { return left + width; }
  int bottom() const { return top + height; }
};

/// The image at another size, each new pixel the mean of the area it covers: smooth when smaller,
/// plain squares when larger.
Image resize_area(const Image& image, int height, int width);
LinearColour resize_area(const LinearColour& colour, int height, int width);

class Canvas {
 public:
  Canvas(int height, int width, const Ink& background);

  const Picture& picture() const { return picture_; }
  int width() const { return picture_.width; }

  void fill(const Frame& frame, const Ink& ink);
  void set(int y, int x, const Ink& ink);
  /// A line of one pixel around the frame, outside of it.
  void outline(const Frame& frame, const Ink& ink);
  /// Puts a picture's top left corner at (left, top).
  void paste(const Picture& picture, int left, int top);

  enum class Align { left, centre, right };
  /// Text whose anchor x is its left end, middle or right end.
  void text(std::string_view words, double x, double baseline, const TextStyle& style, const Ink& ink,
            Align align = Align::left);
  /// A line of round ends.
  void stroke(std::span<const Point> line, double width, const Ink& ink);

 private:
  /// Lays ink over the picture as thick as the coverage, whose corner lies at (left, top).
  void lay(const Image& coverage, int left, int top, const Ink& ink);

  Picture picture_;
};

/// The text, cut and ended by "..." so that it is no wider than `width`.
std::string shortened(std::string_view words, double width, const TextStyle& style);

}  // namespace snapcube
