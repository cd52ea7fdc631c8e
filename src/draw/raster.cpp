#include "draw/raster.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace snapcube {
namespace {

/// Whole pixels that a shape can touch, cut to the image.
struct Box {
  int left, top, right, bottom;  // right and bottom are one past the end
  bool empty() const { return left >= right || top >= bottom; }
};

Box bounds(const Image& image, std::span<const Point> points, double margin) {
  double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;
  for (const Point& p : points) {
    left = std::min(left, p.x - margin);
    right = std::max(right, p.x + margin);
    top = std::min(top, p.y - margin);
    bottom = std::max(bottom, p.y + margin);
  }
  // Compared as doubles, because a far point does not fit into an int. Not-a-number leaves an empty
  // box.
  if (!(right > 0 && bottom > 0 && left < image.width() && top < image.height())) return {0, 0, 0, 0};
  return {static_cast<int>(std::max(0.0, std::floor(left))), static_cast<int>(std::max(0.0, std::floor(top))),
          static_cast<int>(std::min<double>(image.width(), std::ceil(right))),
          static_cast<int>(std::min<double>(image.height(), std::ceil(bottom)))};
}

/// Signed area to the right of the outline's edges, as differences along each row: the running sum
/// of a row is the coverage of its pixels.
class AreaAccumulator {
 public:
  explicit AreaAccumulator(const Box& box)
      : box_(box),
        stride_(box.right - box.left + 2),
        differences_(static_cast<std::size_t>(stride_) * (box.bottom - box.top), 0.0) {}

  void add_edge(Point a, Point b) {
    a = {a.x - box_.left, a.y - box_.top};
    b = {b.x - box_.left, b.y - box_.top};
    if (a.y == b.y) return;
    const double sign = a.y < b.y ? 1 : -1;
    if (a.y > b.y) std::swap(a, b);
    const double slope = (b.x - a.x) / (b.y - a.y);
    const double top = std::max(a.y, 0.0);
    const double bottom = std::min<double>(b.y, box_.bottom - box_.top);
    for (int row = static_cast<int>(std::floor(top)); row < bottom; ++row) {
      const double y0 = std::max<double>(top, row);
      const double y1 = std::min<double>(bottom, row + 1);
      if (y1 <= y0) continue;
      add_in_row(row, a.x + (y0 - a.y) * slope, a.x + (y1 - a.y) * slope, sign * (y1 - y0));
    }
  }

  void unite_into(Image& coverage) const {
    for (int y = box_.top; y < box_.bottom; ++y) {
      const double* row = differences_.data() + static_cast<std::size_t>(y - box_.top) * stride_;
      double sum = 0;
      for (int x = box_.left; x < box_.right; ++x) {
        sum += row[x - box_.left];
        coverage(y, x) = std::max(coverage(y, x), static_cast<float>(std::min(1.0, std::fabs(sum))));
      }
    }
  }

 private:
  /// An edge that crosses `height` (signed) of one row between x0 and x1.
  void add_in_row(int row, double x0, double x1, double height) {
    if (x0 > x1) std::swap(x0, x1);
    const double width = stride_ - 2;
    double* out = differences_.data() + static_cast<std::size_t>(row) * stride_;
    if (x1 - x0 < 1e-9) {
      add_upright(out, std::clamp(x0, 0.0, width), height);
      return;
    }
    // The parts left and right of the box act as upright edges at its sides.
    const double rate = height / (x1 - x0);
    if (x0 < 0) {
      add_upright(out, 0, rate * (std::min(x1, 0.0) - x0));
      x0 = 0;
    }
    x1 = std::min(x1, width);
    for (int column = static_cast<int>(x0); column < x1; ++column) {
      const double l = std::max<double>(x0, column);
      const double r = std::min<double>(x1, column + 1);
      if (r > l) add_upright(out, 0.5 * (l + r), rate * (r - l));
    }
  }
  /// An edge at x (its mean, within one pixel): that pixel is covered right of x, all further ones
  /// fully.
  static void add_upright(double* out, double x, double height) {
    const int column = static_cast<int>(x);
    const double right = column + 1 - x;
    out[column] += height * right;
    out[column + 1] += height * (1 - right);
  }

  Box box_;
  int stride_;
  std::vector<double> differences_;
};

double distance_to_segment(Point p, Point a, Point b) {
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double length2 = dx * dx + dy * dy;
  const double t = length2 > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length2, 0.0, 1.0) : 0;
  const double ex = p.x - a.x - t * dx;
  const double ey = p.y - a.y - t * dy;
  return std::sqrt(ex * ex + ey * ey);
}

}  // namespace

void fill_polygon(Image& coverage, std::span<const Point> outline) {
  const Box box = bounds(coverage, outline, 0);
  if (outline.size() < 3 || box.empty()) return;
  AreaAccumulator area(box);
  for (std::size_t i = 0; i < outline.size(); ++i) area.add_edge(outline[i], outline[(i + 1) % outline.size()]);
  area.unite_into(coverage);
}

void fill_rectangle(Image& coverage, double left, double top, double width, double height) {
  const Point corners[] = {{left, top}, {left + width, top}, {left + width, top + height}, {left, top + height}};
  fill_polygon(coverage, corners);
}

void fill_disc(Image& coverage, Point centre, double radius) {
  if (!(radius > 0)) return;
  const int corners = std::clamp(static_cast<int>(std::min(radius, 1e4) * 4) + 16, 16, 512);
  // A regular n-gon with circumradius r has the area ½·n·r²·sin(2π/n).
  const double step = 2 * std::numbers::pi / corners;
  const double r = radius * std::sqrt(step / std::sin(step));
  std::vector<Point> outline;
  for (int i = 0; i < corners; ++i)
    outline.push_back({centre.x + r * std::cos(i * step), centre.y + r * std::sin(i * step)});
  fill_polygon(coverage, outline);
}

void stroke_polyline(Image& coverage, std::span<const Point> line, double width) {
  if (line.empty() || !(width > 0)) return;
  const double half = width / 2;
  const std::size_t segments = std::max<std::size_t>(1, line.size() - 1);
  for (std::size_t i = 0; i < segments; ++i) {
    const Point ends[] = {line[i], line[std::min(i + 1, line.size() - 1)]};
    const Box box = bounds(coverage, ends, half + 1);
    for (int y = box.top; y < box.bottom; ++y) {
      for (int x = box.left; x < box.right; ++x) {
        const double d = distance_to_segment({x + 0.5, y + 0.5}, ends[0], ends[1]);
        // Overlap of the pixel [d−½, d+½] with the line [−half, half].
        const double overlap = std::min(d + 0.5, half) - std::max(d - 0.5, -half);
        coverage(y, x) = std::max(coverage(y, x), static_cast<float>(std::clamp(overlap, 0.0, 1.0)));
      }
    }
  }
}

}  // namespace snapcube
