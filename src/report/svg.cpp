#include "report/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <png.h>

#include <snapcube/error.h>

#include "render/colour_map.h"
#include "render/line_plot.h"
#include "report/score_table.h"

namespace snapcube {

namespace {

/// Pictures of fewer columns are shown enlarged, with their pixels to be seen; others are made smaller smoothly.
constexpr int kFewPixels = 128;

std::string base64(const std::string& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[i + k])) : 0u;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= bytes.size() - i ? kDigits[(group >> (18 - 6 * k)) & 63] : '=';
    }
  }
  return text;
}

std::string png_bytes(const Picture& picture) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, picture.rgb.data(), 0, nullptr)) {
    throw Error(fmt::format("a picture cannot be written: {}", image.message));
  }
  bytes.resize(size);
  return bytes;
}

std::string css(const Triple& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(255 * colour[0]), std::lround(255 * colour[1]),
                     std::lround(255 * colour[2]));
}

/// "GAP-TV, corr 0.9876"; the first curve, the truth, is only named.
std::string legend_text(const SpectralCurve& curve) {
  if (!curve.correlation) return curve.name;
  return fmt::format("{}, corr {}", curve.name,
                     std::isnan(*curve.correlation) ? std::string("–") : fmt::format("{:.4f}", *curve.correlation));
}

/// Of the corners, the one whose box of that size hides least of the curves.
Point least_hidden(const std::array<Point, 4>& corners, double width, double height, const std::vector<Point>& curves) {
  const auto hidden = [&](const Point& corner) {
    return std::ranges::count_if(curves, [&](const Point& p) {
      return p.x >= corner.x && p.x <= corner.x + width && p.y >= corner.y && p.y <= corner.y + height;
    });
  };
  return *std::ranges::min_element(corners, {}, hidden);
}

}  // namespace

std::string png_uri(const std::string& bytes) { return "data:image/png;base64," + base64(bytes); }
std::string data_uri(const Picture& picture) { return png_uri(png_bytes(picture)); }

std::string picture_svg(const Picture& picture, const std::vector<Mark>& marks, const std::string& description) {
  std::string svg = fmt::format(
      "<svg class=\"picture{4}\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\"><image width=\"{0}\" "
      "height=\"{1}\" "
      "href=\"{3}\"/>",
      picture.width, picture.height, html_text(description), data_uri(picture),
      picture.width < kFewPixels ? " pixels" : "");
  const double unit = picture.width / 256.0;
  for (const Mark& mark : marks) {
    const Region& r = mark.region;
    svg += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{:.2f}\"/>",
        r.left, r.top, r.width, r.height, mark.colour, 2 * unit);
    if (!mark.label.empty()) {
      const bool left = r.left + r.width + 20 * unit > picture.width;  // no room to its right
      svg += fmt::format(
          "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{:.1f}\" font-weight=\"700\" fill=\"{}\" "
          "stroke=\"#000\" "
          "stroke-width=\"{:.2f}\" paint-order=\"stroke\">{}</text>",
          left ? r.left - 3 * unit : r.left + r.width + 3 * unit, r.top + r.height / 2.0 + 6 * unit,
          left ? "end" : "start", 18 * unit, mark.colour, 2.5 * unit, html_text(mark.label));
    }
  }
  return svg + "</svg>";
}

std::string spectrum_svg(const std::string& title, const std::vector<double>& x, const std::string& x_name,
                         const std::vector<SpectralCurve>& curves) {
  constexpr double kWidth = 460;
  constexpr double kHeight = 350;
  constexpr double kLeft = 56;
  constexpr double kLine = 21;  // of the legend
  constexpr double kRight = 12;
  constexpr double kTop = 36;
  constexpr double kBottom = 56;
  const auto [x_low, x_high] = std::ranges::minmax(x);
  double high = 0;
  for (const SpectralCurve& c : curves) high = std::max(high, std::ranges::max(c.values));
  const std::vector<double> ticks = round_ticks(0, high > 0 ? high : 1, 5);
  const double top = ticks.back();
  const auto px = [&, low = x_low, span = x_high > x_low ? x_high - x_low : 1](double v) {
    return kLeft + (v - low) / span * (kWidth - kLeft - kRight);
  };
  const auto py = [&](double v) { return kHeight - kBottom - v / top * (kHeight - kTop - kBottom); };
  std::string svg = fmt::format(
      "<svg class=\"plot\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">"
      "<text x=\"{}\" y=\"20\" class=\"title\">{}</text>",
      kWidth, kHeight, html_text(title), kLeft, html_text(title));
  for (const double t : ticks) {
    svg += rule_svg(kLeft, kWidth - kRight, py(t), t);
  }
  for (const double t : round_ticks(x_low, x_high, 6)) {
    if (t < x_low || t > x_high) continue;
    svg += tick_svg(px(t), kHeight - kBottom + 21, t);
  }
  svg += fmt::format("<text class=\"axis\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>",
                     (kLeft + kWidth - kRight) / 2, kHeight - 8, html_text(x_name));
  std::vector<Point> drawn;  // along the curves, close to each other
  for (const SpectralCurve& c : curves) {
    std::string path;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const Point p{px(x[i]), py(std::clamp(c.values[i], 0.0, top))};
      path += fmt::format("{}{:.1f} {:.1f}", i ? 'L' : 'M', p.x, p.y);
      constexpr int kSteps = 8;
      const Point before = i ? drawn.back() : p;
      for (int k = 1; k <= kSteps; ++k) {
        const double t = static_cast<double>(k) / kSteps;
        drawn.push_back({std::lerp(before.x, p.x, t), std::lerp(before.y, p.y, t)});
      }
    }
    svg += fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-linejoin=\"round\"{}/>",
                       path, c.colour, c.dashed ? " stroke-dasharray=\"6 4\"" : "");
  }
  std::size_t longest = 0;
  for (const SpectralCurve& c : curves) longest = std::max(longest, legend_text(c).size());
  constexpr double kLetter = 8.5;  // its mean width, rather too wide
  const double width = 40 + kLetter * static_cast<double>(longest);
  const double height = kLine * static_cast<double>(curves.size());
  const double left = kLeft + 6;
  const double right = std::max(kWidth - kRight - width, left);
  const double low = kHeight - kBottom - height - 4;
  const Point corner = least_hidden({{{left, kTop}, {right, kTop}, {left, low}, {right, low}}}, width, height, drawn);
  double y = corner.y + kLine / 2 + 2;
  for (const SpectralCurve& c : curves) {
    svg += fmt::format(
        "<path d=\"M{0:.1f} {1:.1f}h22\" stroke=\"{2}\" stroke-width=\"2.5\"{3}/><text class=\"legend\" x=\"{4:.1f}\" "
        "y=\"{5:.1f}\">{6}</text>",
        corner.x + 4, y, c.colour, c.dashed ? " stroke-dasharray=\"6 4\"" : "", corner.x + 34, y + 5,
        html_text(legend_text(c)));
    y += kLine;
  }
  return svg + "</svg>";
}

std::string rule_svg(double left, double right, double y, double value) {
  return fmt::format(
      "<path class=\"rule\" d=\"M{:.1f} {:.1f}H{:.1f}\"/><text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" "
      "text-anchor=\"end\">{:g}</text>",
      left, y, right, left - 8, y + 5, value);
}

std::string tick_svg(double x, double y, double value) {
  return fmt::format("<text class=\"tick\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:g}</text>", x, y, value);
}

std::string_view plot_style() {
  return R"(.plot .tick { font-size: 15px; fill: #5b636d; }
.plot .title { font-size: 17px; font-weight: 600; fill: #1c1e21; }
.plot .axis, .plot .legend { font-size: 16px; fill: #3b424b; }
.plot .rule { stroke: #e6e9ec; fill: none; }
)";
}

std::string plot_file(const std::string& svg) {
  constexpr std::string_view kOpening = "<svg";
  const auto end = svg.find('>');
  if (!svg.starts_with(kOpening) || end == std::string::npos) return {};
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\"{}>\n<style>svg {{ font-family: Helvetica, Arial, sans-serif; }}\n{}"
      "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{}\n",
      svg.substr(kOpening.size(), end - kOpening.size()), plot_style(), svg.substr(end + 1));
}

std::string error_scale_svg(double most) {
  constexpr int kSteps = 16;
  std::string stops;
  for (int i = 0; i <= kSteps; ++i) {
    const double t = static_cast<double>(i) / kSteps;
    stops += fmt::format("<stop offset=\"{:g}\" stop-color=\"{}\"/>", t, css(error_colour(t)));
  }
  // Every scene has the same colours: that they share the name of the gradient does no harm.
  return fmt::format(
      "<svg class=\"scale\" viewBox=\"0 0 150 16\" role=\"img\" aria-label=\"Errors from 0 to {0:g}\">"
      "<defs><linearGradient id=\"errors\">{1}</linearGradient></defs>"
      "<text x=\"0\" y=\"13\">0</text><rect x=\"12\" y=\"2\" width=\"100\" height=\"12\" fill=\"url(#errors)\"/>"
      "<text x=\"117\" y=\"13\">{0:g}</text></svg>",
      most, stops);
}

}  // namespace snapcube
