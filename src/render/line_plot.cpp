#include "render/line_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace snapcube {

namespace {

constexpr Ink kPaper = grey(1);
constexpr Ink kText = grey(0.2);
constexpr Ink kAxis = grey(0.35);
constexpr Ink kGrid = grey(0.9);
constexpr TextStyle kSmall{.size = 14};
constexpr TextStyle kTitle{.size = 17, .weight = 1.2};

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return low > high; }
};

bool is_finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y); }

std::string tick_text(double value, double step) {
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step) + 1e-9)));
  return fmt::format("{:.{}f}", value == 0 ? 0.0 : value, decimals);
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  if (!std::isfinite(high - low)) return {0, 1};
  // A single value, or so little around it that ticks of double precision would coincide.
  if (const double size = std::max(std::abs(low), std::abs(high)); !(high - low > 1e-9 * size)) {
    const double margin = std::max(0.5, 1e-6 * size);
    low -= margin;
    high += margin;
  }
  const double rough = (high - low) / std::max(1, count);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  const double first = std::floor(low / step + 1e-9);
  const auto steps = static_cast<int>(std::ceil(high / step - 1e-9) - first);
  std::vector<double> ticks;
  for (int i = 0; i <= steps; ++i) ticks.push_back((first + i) * step);
  return ticks;
}

Picture draw_plot(const LinePlot& plot) {
  Canvas canvas(plot.height, plot.width, kPaper);
  Range x;
  Range y;
  for (const PlotLine& line : plot.lines) {
    for (const Point& p : line.points) {
      if (!is_finite(p)) continue;
      x.include(p.x);
      y.include(p.y);
    }
  }
  if (x.empty()) {
    x = {0, 1};
    y = {0, 1};
  }
  const auto x_ticks = round_ticks(x.low, x.high, 8);
  const auto y_ticks = round_ticks(y.low, y.high, 6);
  const Frame box{70, 44, plot.width - 70 - 24, plot.height - 44 - 56};
  const auto place = [&](double px, double py) {
    return Point{box.left + (px - x_ticks.front()) / (x_ticks.back() - x_ticks.front()) * box.width,
                 box.bottom() - (py - y_ticks.front()) / (y_ticks.back() - y_ticks.front()) * box.height};
  };

  for (const double tick : y_ticks) {
    const Point at = place(x_ticks.front(), tick);
    canvas.stroke(std::array{Point{at.x, at.y}, Point{at.x + box.width, at.y}}, 1, kGrid);
    canvas.text(tick_text(tick, y_ticks[1] - y_ticks[0]), at.x - 8, at.y + 5, kSmall, kText, Canvas::Align::right);
  }
  for (const double tick : x_ticks) {
    const Point at = place(tick, y_ticks.front());
    canvas.stroke(std::array{Point{at.x, at.y}, Point{at.x, at.y - box.height}}, 1, kGrid);
    canvas.text(tick_text(tick, x_ticks[1] - x_ticks[0]), at.x, at.y + 18, kSmall, kText, Canvas::Align::centre);
  }
  canvas.outline(box, kAxis);

  for (const PlotLine& line : plot.lines) {
    std::vector<Point> path;
    for (const Point& p : line.points) {
      if (is_finite(p)) path.push_back(place(p.x, p.y));
    }
    if (path.empty()) continue;
    canvas.stroke(path, 2, line.ink);
    if (!line.marked) continue;
    for (const Point& p : path) canvas.stroke(std::array{p}, 7, line.ink);
  }

  canvas.text(plot.title, box.left, 26, kTitle, kText);
  canvas.text(plot.x_label, box.left + box.width / 2.0, plot.height - 14, kSmall, kText, Canvas::Align::centre);
  canvas.text(plot.y_label, 8, 26, kSmall, kText);
  double right = box.right();
  for (auto line = plot.lines.rbegin(); line != plot.lines.rend(); ++line) {
    if (line->name.empty()) continue;
    canvas.text(line->name, right, 27, kSmall, kText, Canvas::Align::right);
    right -= text_width(line->name, kSmall) + 8;
    canvas.stroke(std::array{Point{right - 18, 22}, Point{right, 22}}, line->marked ? 5 : 3, line->ink);
    right -= 18 + 16;
  }
  return canvas.picture();
}

}  // namespace snapcube
