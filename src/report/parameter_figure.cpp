#include "report/parameter_figure.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

#include "render/line_plot.h"
#include "report/score_table.h"
#include "report/svg.h"

namespace snapcube {

namespace {

constexpr double kPanel = 250;
constexpr double kHeight = 330;
constexpr double kLeft = 64;
constexpr double kTop = 30;
constexpr double kBottom = 62;
constexpr double kLargestCircle = 20;
constexpr const char* kColours[] = {"#0b6e99", "#c2410c", "#15803d", "#7e22ce"};

}  // namespace

std::string parameter_figure(const std::vector<ParameterPanel>& panels) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double most = 0;
  for (const ParameterPanel& panel : panels) {
    for (const ParameterPoint& p : panel.points) {
      low = std::min(low, p.psnr);
      high = std::max(high, p.psnr);
      most = std::max(most, p.operations);
    }
  }
  if (!(low <= high)) return {};
  const double margin = std::max(0.1, 0.2 * (high - low));
  low -= margin;
  high += margin;
  const auto py = [&](double psnr) {
    return kHeight - kBottom - (psnr - low) / (high - low) * (kHeight - kTop - kBottom);
  };
  const double width = kLeft + kPanel * static_cast<double>(panels.size());
  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"PSNR over parameters; circles: operations\">"
      "<text class=\"axis\" x=\"16\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\">dB</text>",
      width, kHeight, (kTop + kHeight - kBottom) / 2, (kTop + kHeight - kBottom) / 2);
  for (const double t : round_ticks(low, high, 6)) {
    if (t >= low && t <= high) svg += rule_svg(kLeft, width - 12, py(t), t);
  }
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const ParameterPanel& panel = panels[i];
    const char* colour = kColours[i % std::size(kColours)];
    const double left = kLeft + kPanel * static_cast<double>(i);
    const double spacing = kPanel / static_cast<double>(panel.points.size() + 1);
    std::string path;
    std::string marks;
    for (std::size_t k = 0; k < panel.points.size(); ++k) {
      const ParameterPoint& p = panel.points[k];
      const double x = left + spacing * static_cast<double>(k + 1);
      path += fmt::format("{}{:.1f} {:.1f}", k ? 'L' : 'M', x, py(p.psnr));
      marks += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" fill-opacity=\"0.35\" stroke=\"{}\"/>", x,
          py(p.psnr), most > 0 ? kLargestCircle * p.operations / most : 4, colour, colour);
      marks += tick_svg(x, kHeight - kBottom + 21, p.value);
    }
    svg += fmt::format(
        "<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>{}<text class=\"title\" x=\"{:.1f}\" "
        "y=\"{:.1f}\" "
        "text-anchor=\"middle\">{}</text>",
        path, colour, marks, left + kPanel / 2, kHeight - 14, html_text(panel.symbol));
  }
  return svg + "</svg>";
}

}  // namespace snapcube
