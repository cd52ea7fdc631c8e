#include "render/canvas.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace snapcube {
namespace {

/// Which source pixels make a new one, and with what weights, along one axis.
struct Span {
  int first;
  std::vector<float> weights;
};

std::vector<Span> spans(int source, int target) {
  std::vector<Span> result;
  const double scale = static_cast<double>(source) / target;
  for (int i = 0; i < target; ++i) {
    const double from = i * scale;
    const double to = std::min<double>(source, (i + 1) * scale);
    Span span{std::min(static_cast<int>(from), source - 1), {}};
    for (int k = span.first; k < to; ++k) {
      const double overlap = std::min(to, k + 1.0) - std::max<double>(from, k);
      span.weights.push_back(static_cast<float>(std::max(0.0, overlap) / (to - from)));
    }
    result.push_back(std::move(span));
  }
  return result;
}

std::uint8_t to_byte(double encoded) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(encoded, 0.0, 1.0) * 255));
}

}  // namespace

Image resize_area(const Image& image, int height, int width) {
  const std::vector<Span> columns = spans(image.width(), width);
  const std::vector<Span> rows = spans(image.height(), height);
  Image result(height, width);

  std::vector<float> sum(static_cast<std::size_t>(image.width()));
  for (int y = 0; y < height; ++y) {
    const Span& row = rows[static_cast<std::size_t>(y)];
    std::ranges::fill(sum, 0.0f);
    for (std::size_t k = 0; k < row.weights.size(); ++k) {
      const float* in = image.row(row.first + static_cast<int>(k));
      for (std::size_t x = 0; x < sum.size(); ++x) {
        if (std::isfinite(in[x])) sum[x] += row.weights[k] * in[x];
      }
    }
    for (int x = 0; x < width; ++x) {
      const Span& column = columns[static_cast<std::size_t>(x)];
      float value = 0;
      for (std::size_t k = 0; k < column.weights.size(); ++k) {
        value += column.weights[k] * sum[static_cast<std::size_t>(column.first) + k];
      }
      result(y, x) = value;
    }
  }
  return result;
}

LinearColour resize_area(const LinearColour& colour, int height, int width) {
  return {resize_area(colour[0], height, width), resize_area(colour[1], height, width),
          resize_area(colour[2], height, width)};
}

Canvas::Canvas(int height, int width, const Ink& background) : picture_(height, width) {
  fill({0, 0, width, height}, background);
}

void Canvas::set(int y, int x, const Ink& ink) {
  if (x < 0 || y < 0 || x >= picture_.width || y >= picture_.height) return;
  std::uint8_t* pixel = picture_.rgb.data() + 3 * (static_cast<std::size_t>(y) * picture_.width + x);
  for (std::size_t k = 0; k < 3; ++k) pixel[k] = to_byte(ink[k]);
}

void Canvas::fill(const Frame& frame, const Ink& ink) {
  for (int y = frame.top; y < frame.bottom(); ++y) {
    for (int x = frame.left; x < frame.right(); ++x) set(y, x, ink);
  }
}

void Canvas::outline(const Frame& frame, const Ink& ink) {
  for (int x = frame.left - 1; x <= frame.right(); ++x) {
    set(frame.top - 1, x, ink);
    set(frame.bottom(), x, ink);
  }
  for (int y = frame.top; y < frame.bottom(); ++y) {
    set(y, frame.left - 1, ink);
    set(y, frame.right(), ink);
  }
}

void Canvas::paste(const Picture& picture, int left, int top) {
  const int rows = std::min(picture.height, picture_.height - top);
  const int columns = std::min(picture.width, picture_.width - left);
  if (columns <= 0) return;
  for (int y = 0; y < rows; ++y) {
    const std::uint8_t* from = picture.rgb.data() + std::size_t{3} * y * picture.width;
    std::copy_n(from, std::size_t{3} * columns,
                picture_.rgb.data() + 3 * (static_cast<std::size_t>(top + y) * picture_.width + left));
  }
}

void Canvas::text(std::string_view words, double x, double baseline, const TextStyle& style, const Ink& ink,
                  Align align) {
  const double width = text_width(words, style);
  if (align == Align::centre) x -= width / 2;
  if (align == Align::right) x -= width;
  // Only the part of the canvas that the text can touch.
  const int left = std::max(0, static_cast<int>(x) - 4);
  const int top = std::max(0, static_cast<int>(baseline - style.size) - 4);
  const int right = std::min(picture_.width, static_cast<int>(x + width) + 8);
  const int bottom = std::min(picture_.height, static_cast<int>(baseline + 0.4 * style.size) + 4);
  if (left >= right || top >= bottom) return;
  Image coverage(bottom - top, right - left);
  draw_text(coverage, words, {x - left, baseline - top}, style);
  lay(coverage, left, top, ink);
}

void Canvas::stroke(std::span<const Point> line, double width, const Ink& ink) {
  Image coverage(picture_.height, picture_.width);
  stroke_polyline(coverage, line, width);
  lay(coverage, 0, 0, ink);
}

void Canvas::lay(const Image& coverage, int left, int top, const Ink& ink) {
  for (int cy = 0; cy < coverage.height(); ++cy) {
    for (int cx = 0; cx < coverage.width(); ++cx) {
      const double share = coverage(cy, cx);
      if (share == 0) continue;
      std::uint8_t* pixel = picture_.rgb.data() + 3 * (static_cast<std::size_t>(top + cy) * picture_.width + left + cx);
      for (std::size_t k = 0; k < 3; ++k) pixel[k] = to_byte((1 - share) * pixel[k] / 255.0 + share * ink[k]);
    }
  }
}

std::string shortened(std::string_view words, double width, const TextStyle& style) {
  if (text_width(words, style) <= width) return std::string(words);
  std::string cut(words);
  while (!cut.empty() && text_width(cut + "...", style) > width) {
    // A whole character: its trailing bytes, then its lead byte.
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0) == 0x80) cut.pop_back();
    if (!cut.empty()) cut.pop_back();
  }
  return cut + "...";
}

}  // namespace snapcube
