#include "report/cost_figure.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "render/line_plot.h"
#include "report/svg.h"

namespace snapcube {

namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 420;
constexpr double kLeft = 72;  // "22.75", and dB beside it
constexpr double kRight = 30;
constexpr double kTop = 40;
constexpr double kBottom = 56;
constexpr double kLargestCircle = 26;
constexpr const char* kColours[] = {"#0b6e99", "#c2410c", "#15803d", "#7e22ce", "#a16207", "#be123c", "#334155"};

struct Entry {
  std::string name;
  double operations;
  double psnr;
  double parameters;
};

/// "CST-M" → "CST": what comes before the last dash, if behind it a size stands.
std::string family(const std::string& name) {
  const auto dash = name.find_last_of('-');
  if (dash == std::string::npos) return name;
  const std::string size = name.substr(dash + 1);
  return size == "S" || size == "M" || size == "L" || size == "L*" ? name.substr(0, dash) : name;
}

/// Down from there to where no label stands.
Point free_place(Point wanted, const std::vector<Point>& labels) {
  constexpr double kLine = 17;
  constexpr double kWord = 70;
  const auto taken = [&] {
    return std::ranges::any_of(labels, [&](const Point& other) {
      return std::abs(other.x - wanted.x) < kWord && std::abs(other.y - wanted.y) < kLine;
    });
  };
  while (taken()) wanted.y += kLine / 2;
  return wanted;
}

}  // namespace

std::string cost_figure(const ScoreTable& table) {
  std::vector<Entry> points;
  for (std::size_t m = 0; m < table.methods().size(); ++m) {
    const MethodColumn& method = table.methods()[m];
    const auto mean = table.mean(m);
    if (!mean || !method.operations || std::isnan(mean->psnr)) continue;
    points.push_back({method.name, *method.operations, mean->psnr, method.parameters.value_or(0)});
  }
  if (points.size() < 2) return {};
  std::ranges::sort(points, {}, &Entry::operations);

  const double x_low = std::log10(points.front().operations) - 0.15;
  const double x_high = std::log10(points.back().operations) + 0.25;
  const auto [lowest, highest] = std::ranges::minmax(points, {}, &Entry::psnr);
  const double margin = std::max(0.5, 0.15 * (highest.psnr - lowest.psnr));
  const double y_low = lowest.psnr - margin;
  const double y_high = highest.psnr + margin;
  const double largest = std::ranges::max(points, {}, &Entry::parameters).parameters;
  const auto px = [&](double operations) {
    return kLeft + (std::log10(operations) - x_low) / (x_high - x_low) * (kWidth - kLeft - kRight);
  };
  const auto py = [&](double psnr) {
    return kHeight - kBottom - (psnr - y_low) / (y_high - y_low) * (kHeight - kTop - kBottom);
  };

  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Mean PSNR over operations\">"
      "<text x=\"{}\" y=\"20\" class=\"title\">Mean PSNR over operations</text>",
      kWidth, kHeight, kLeft);
  for (const double t : round_ticks(y_low, y_high, 6)) {
    if (t < y_low || t > y_high) continue;
    svg += rule_svg(kLeft, kWidth - kRight, py(t), t);
  }
  for (int decade = static_cast<int>(std::floor(x_low)); decade < x_high; ++decade) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double t = std::pow(10, decade) * factor;
      if (std::log10(t) < x_low || std::log10(t) > x_high) continue;
      svg += tick_svg(px(t), kHeight - kBottom + 21, t);
    }
  }
  svg += fmt::format(
      "<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">operations a frame, 10⁹</text>"
      "<text class=\"axis\" x=\"16\" y=\"{:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {:.1f})\">dB</text>",
      (kLeft + kWidth - kRight) / 2, kHeight - 8, (kTop + kHeight - kBottom) / 2, (kTop + kHeight - kBottom) / 2);

  std::map<std::string, std::vector<Entry>> families;
  for (const Entry& p : points) families[family(p.name)].push_back(p);
  std::size_t colour = 0;
  std::vector<Point> labels;
  for (const auto& [name, members] : families) {
    const char* paint = kColours[colour++ % std::size(kColours)];
    std::string path;
    for (const Entry& p : members)
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', px(p.operations), py(p.psnr));
    if (members.size() > 1) {
      svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>", path, paint);
    }
    for (const Entry& p : members) {
      const double radius = largest > 0 ? std::max(4.0, kLargestCircle * std::sqrt(p.parameters / largest)) : 5;
      const Point label = free_place({px(p.operations) + radius + 4, py(p.psnr) + 5}, labels);
      labels.push_back(label);
      svg += fmt::format(
          "<circle cx=\"{0:.1f}\" cy=\"{1:.1f}\" r=\"{2:.1f}\" fill=\"{3}\" fill-opacity=\"0.35\" stroke=\"{3}\"/>"
          "<text class=\"legend\" x=\"{4:.1f}\" y=\"{5:.1f}\" fill=\"{3}\">{6}</text>",
          px(p.operations), py(p.psnr), radius, paint, label.x, label.y, html_text(p.name));
    }
  }
  return svg + "</svg>";
}

}  // namespace snapcube
