#include "report/xy_figure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "render/line_plot.h"
#include "report/score_table.h"
#include "report/svg.h"

namespace snapcube {

namespace {

constexpr double kLeft = 74;
constexpr double kRight = 16;
constexpr double kTop = 34;
constexpr double kBottom = 56;

struct Range {
  double low = 1e300;
  double high = -1e300;
  void include(double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  }
};

}  // namespace

std::string xy_svg(const XyFigure& figure) {
  Range x;
  Range y;
  for (const XySeries& series : figure.series) {
    for (const Point& p : series.points) {
      x.include(p.x);
      y.include(p.y);
    }
  }
  if (!(x.low <= x.high)) return {};
  if (figure.from_zero && y.low > -0.02 * (y.high - y.low)) y.low = std::max(y.low, 0.0);
  if (x.low == x.high) x = {x.low - 1, x.high + 1};
  if (figure.from_zero) y.include(0);
  const double missing = figure.least_range - (y.high - y.low);
  if (missing > 0)
    y = {y.low - (figure.from_zero ? 0 : missing / 2), y.high + (figure.from_zero ? missing : missing / 2)};
  if (y.low == y.high) y = {y.low - 1, y.high + 1};
  const double margin = 0.03 * (x.high - x.low);
  x = {x.low - margin, x.high + margin};
  const std::vector<double> ticks = round_ticks(y.low, y.high, 5);
  y = {std::min(y.low, ticks.front()), std::max(y.high, ticks.back())};
  const auto px = [&](double v) { return kLeft + (v - x.low) / (x.high - x.low) * (figure.width - kLeft - kRight); };
  const auto py = [&](double v) {
    return figure.height - kBottom - (v - y.low) / (y.high - y.low) * (figure.height - kTop - kBottom);
  };
  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {:g} {:g}\" role=\"img\" aria-label=\"{}\"><text class=\"title\" x=\"{}\" "
      "y=\"20\">{}</text>",
      figure.width, figure.height, html_text(figure.title), kLeft, html_text(figure.title));
  for (const double t : ticks) svg += rule_svg(kLeft, figure.width - kRight, py(t), std::fabs(t) < 1e-12 ? 0 : t);
  for (const double t : round_ticks(x.low, x.high, 6)) {
    if (t >= x.low && t <= x.high) svg += tick_svg(px(t), figure.height - kBottom + 21, t);
  }
  svg += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                     (kLeft + figure.width - kRight) / 2, figure.height - 8, html_text(figure.x_name));
  const double middle = (kTop + figure.height - kBottom) / 2;
  svg += fmt::format(
      "<text class=\"axis\" x=\"16\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 "
      "{0:.1f})\">{1}</text>",
      middle, html_text(figure.y_name));
  double right = figure.width - kRight;
  for (const XySeries& series : figure.series) {
    if (series.line) {
      std::string path;
      for (std::size_t i = 0; i < series.points.size(); ++i) {
        path += fmt::format("{}{:.1f} {:.1f}", i ? 'L' : 'M', px(series.points[i].x), py(series.points[i].y));
      }
      svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", path, series.colour);
    } else {
      for (const Point& p : series.points) {
        svg +=
            fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"2\"/>",
                        px(p.x), py(p.y), series.ring ? 6 : 4, series.ring ? "none" : series.colour, series.colour);
      }
    }
  }
  // The legend stands beside the title, from the right.
  for (auto series = figure.series.rbegin(); series != figure.series.rend(); ++series) {
    if (series->name.empty() || series->points.empty()) continue;
    svg +=
        fmt::format("<text class=\"legend\" x=\"{:.1f}\" y=\"20\" text-anchor=\"end\" style=\"fill:{}\">{} {}</text>",
                    right, series->colour,
                    series->line   ? "—"
                    : series->ring ? "○"
                                   : "●",
                    html_text(series->name));
    right -= 8.2 * static_cast<double>(series->name.size()) + 44;
  }
  return svg + "</svg>";
}

}  // namespace snapcube
