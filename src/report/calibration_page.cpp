#include "report/calibration_page.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include "render/appearance.h"
#include "report/page.h"
#include "report/score_table.h"
#include "report/svg.h"
#include "report/xy_figure.h"

namespace snapcube {

namespace {

constexpr const char* kBlue = "#0b6e99";
constexpr const char* kRed = "#c2410c";
constexpr const char* kGreen = "#15803d";
constexpr double kDegrees = 180 / 3.14159265358979323846;
/// Pixels of a mask that are shown enlarged.
constexpr int kDetail = 40;

constexpr const char* kStyle = R"(<style>
.verdict { border-left: 6px solid var(--state); background: #f6f8fa; padding: 14px 18px; font-size: 17px; margin: 18px 0; }
.doubts { margin: 0 0 20px; padding-left: 22px; }
.doubts .grave { color: #b3261e; font-weight: 600; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(420px, 1fr)); gap: 18px 28px; align-items: start; }
.masks { display: grid; grid-template-columns: 2fr repeat(3, 1fr); gap: 16px; align-items: end; }
.masks figure { max-width: 460px; }
table.facts { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.facts th, .facts td { padding: 4px 14px 4px 0; text-align: left; font-weight: 400; border-bottom: 1px solid #e6e9ec; }
.facts th { color: #5b636d; }
.scores .off { color: #b3261e; }
</style>
)";

std::string grey_picture(const Image& image, const std::string& description) {
  const double bright = percentile(image, 0.995);
  return picture_svg(tinted(image, bright > 1e-9 ? 1 / bright : 1, {1, 1, 1}), {}, description);
}

std::string figure(const std::string& content, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", content, caption);
}

std::string heading(const char* words) { return fmt::format("<h2>{}</h2>\n", words); }

std::string verdict(const Calibration& c) {
  const bool grave = std::ranges::any_of(c.doubts, &Doubt::grave);
  std::string text = fmt::format("<p class=\"verdict\" style=\"--state:{}\">{}</p>\n",
                                 grave              ? "#b3261e"
                                 : c.doubts.empty() ? "#15803d"
                                                    : "#c98a00",
                                 html_text(c.verdict));
  if (c.doubts.empty()) return text;
  text += "<ul class=\"doubts\">\n";
  for (const Doubt& doubt : c.doubts) {
    text += fmt::format("<li{}>{}</li>\n", doubt.grave ? " class=\"grave\"" : "", html_text(doubt.sentence));
  }
  return text + "</ul>\n";
}

std::string positions(const Calibration& c) {
  XySeries curve{"curve", kBlue, {}, true, false};
  const auto [low, high] = std::ranges::minmax(c.camera.wavelengths);
  constexpr int kPoints = 121;
  for (int i = 0; i < kPoints && c.camera.wavelengths.size() > 1; ++i) {
    const double nm = std::lerp(low, high, i / (kPoints - 1.0));
    curve.points.push_back({nm, c.camera.position(nm)});
  }
  XySeries measured{"measured", kRed, {}, false, false};
  XySeries left_out{"left out", "#b3261e", {}, false, true};
  XySeries residual{"", kRed, {}, false, false};
  XySeries zero{"", "#8b949e", {}, true, false};
  for (const CaptureFinding& k : c.captures) {
    (k.outlier ? left_out : measured).points.push_back({k.wavelength, k.position});
    if (!k.outlier) residual.points.push_back({k.wavelength, k.residual()});
    zero.points.push_back({k.wavelength, 0});
  }
  std::string text = heading("Positions");
  text += fmt::format(
      "<p class=\"lead\">A curve of degree {} through {} captures: residuals of {:.3f} pixels rms, {:.3f} at most. A "
      "capture "
      "that the curve is not told of is predicted to {:.3f} pixels.</p>\n",
      c.degree, c.captures.size(), c.rms_residual, c.largest_residual, c.left_out_error);
  text += "<div class=\"pair\">";
  text += xy_svg({.title = "Position",
                  .x_name = "wavelength in nm",
                  .y_name = "pixels",
                  .series = {curve, measured, left_out},
                  .height = 340,
                  .from_zero = true});
  text += xy_svg({.title = "Residuals",
                  .x_name = "wavelength in nm",
                  .y_name = "pixels",
                  .series = {zero, residual},
                  .height = 340,
                  .least_range = 0.06});
  return text + "</div>\n";
}

std::string masks(const Calibration& c) {
  const Camera camera = c.camera.camera();
  std::string text = heading("The mask");
  text += fmt::format(
      "<p class=\"lead\">{} by {} pixels. Rotation and scale between bands move a corner by {:.2f} pixels at most{}; "
      "the "
      "dispersion runs {:.2f}° off the axis.</p>\n<div class=\"masks\">\n",
      camera.height(), camera.width(), c.corner, c.resampled ? ", and are in the masks of the bands" : "",
      c.angle * kDegrees);
  text += figure(grey_picture(camera.mask(), "The mask, mean over the bands"), "mean over the bands");
  const int bands = camera.bands();
  const int height = std::min(kDetail, camera.height());
  const int width = std::min(kDetail, camera.width());
  const Region detail{(camera.height() - height) / 2, (camera.width() - width) / 2, height, width};
  for (const int b : {0, bands / 2, bands - 1}) {
    const std::string name = fmt::format("{:g} nm", c.camera.wavelengths[static_cast<std::size_t>(b)]);
    text += figure(grey_picture(crop(camera.mask(b), detail), "Middle of the mask at " + name),
                   fmt::format("middle, at {}", name));
  }
  return text + "</div>\n";
}

std::string bands(const Calibration& c) {
  XySeries contrast{"", kBlue, {}, true, false};
  XySeries dots{"", kBlue, {}, false, false};
  XySeries gains{"", kGreen, {}, true, false};
  XySeries gain_dots{"", kGreen, {}, false, false};
  for (std::size_t b = 0; b < c.camera.wavelengths.size(); ++b) {
    const double nm = c.camera.wavelengths[b];
    contrast.points.push_back({nm, c.contrast[b]});
    if (!c.camera.band_gains.empty()) gains.points.push_back({nm, c.camera.band_gains[b]});
  }
  dots.points = contrast.points;
  gain_dots.points = gains.points;
  std::string text = heading("The bands") + "<div class=\"pair\">";
  text += xy_svg({.title = "Contrast of the mask",
                  .x_name = "wavelength in nm",
                  .y_name = "deviation over mean",
                  .series = {contrast, dots},
                  .from_zero = true});
  if (!gains.points.empty()) {
    text += xy_svg({.title = "Gain: a white target, 1 on average",
                    .x_name = "wavelength in nm",
                    .y_name = "gain",
                    .series = {gains, gain_dots},
                    .from_zero = true});
  }
  text += "</div>\n";
  if (!c.camera.band_gains.empty()) {
    text += fmt::format("<p class=\"note\">The bands explain all but {:.1f} % of the white target.</p>\n",
                        100 * c.white_misfit);
  }
  return text;
}

std::string detector(const Calibration& c) {
  const DetectorFinding& d = c.detector;
  std::string text = heading("The detector") + "<div class=\"pair\">\n<table class=\"facts\">";
  const auto row = [&](const char* name, const std::string& value) {
    text += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", name, html_text(value));
  };
  row("black level", fmt::format("{:.4g} counts, of {} dark frames{}", d.black_level, d.dark_frames,
                                 d.pattern ? "; a dark frame is kept, since it has a pattern" : ""));
  row("noise in the dark", d.dark_noise > 0 ? fmt::format("{:.3g} counts", d.dark_noise) : "one frame does not tell");
  row("gain",
      d.gain > 0 ? fmt::format("{:.4g} ± {:.2g} electrons a count", d.gain, d.gain_error) : "not known (no exposures)");
  row("read noise", d.gain > 0 ? fmt::format("{:.3g} electrons", d.read_noise) : "not known (no exposures)");
  row("full scale", d.saturation > 0
                        ? fmt::format("{:g} counts{}", d.saturation,
                                      d.full_well > 0 ? fmt::format(", {:.0f} electrons", d.full_well) : "")
                        : "not reached");
  row("pixels left out", fmt::format("{} hot, {} dead", d.hot, d.dead));
  const Region r = c.camera.detector.region.value_or(Region{});
  row("region", fmt::format("{} by {} pixels from row {}, column {}", r.height, r.width, r.top, r.left));
  text += "</table>\n";
  if (!d.levels.empty()) {
    XySeries used{"used", kBlue, {}, false, false};
    XySeries passed{"left out", "#8b949e", {}, false, true};
    double most = 0;
    for (const ExposureLevel& level : d.levels) {
      if (!(level.signal > 0)) continue;  // all pixels were full
      (level.used ? used : passed).points.push_back({level.signal, level.variance});
      most = std::max(most, level.signal);
    }
    const double noise = d.read_noise / d.gain;
    const XySeries line{"line", kRed, {{0, noise * noise}, {most, noise * noise + most / d.gain}}, true, false};
    text += xy_svg({.title = "Photon transfer",
                    .x_name = "signal in counts",
                    .y_name = "variance",
                    .series = {line, used, passed},
                    .from_zero = true});
  }
  return text + "</div>\n";
}

std::string captures(const Calibration& c) {
  std::string text = heading("The captures") + "<div class=\"holder\"><table class=\"scores\"><thead><tr>";
  for (const char* name : {"file", "nm", "position", "residual", "across", "turned °", "scale", "correlation",
                           "contrast", "brightness", "full"}) {
    text += fmt::format("<th>{}</th>", name);
  }
  text += "</tr></thead>\n<tbody>\n";
  for (const CaptureFinding& k : c.captures) {
    text += fmt::format(
        "<tr{}><th>{}</th><td>{:g}</td><td>{:.3f}</td><td>{:+.3f}</td><td>{:+.3f}</td><td>{:+.3f}</td><td>{:.5f}</td>"
        "<td>{:.3f}</td><td>{:.2f}</td><td>{:.0f}</td><td>{:.1f} %</td></tr>\n",
        k.outlier ? " class=\"off\"" : "", html_text(std::filesystem::path(k.location).filename().string()),
        k.wavelength, k.position, k.residual(), k.across, k.turn * kDegrees, k.scale, k.correlation, k.contrast,
        k.brightness, 100 * k.saturated);
  }
  text +=
      "</tbody></table></div>\n<p class=\"note\">Positions, turns and scales are against the capture in the middle; ";
  text += "brightness is the mean count above black inside the mask.</p>\n";
  if (c.picture_correlation) {
    text += fmt::format(
        "<p class=\"note\">The picture of the mask without disperser resembles the mask found to {:.3f}, and lies at "
        "{:.2f} pixels.</p>\n",
        *c.picture_correlation, c.picture_position);
  }
  return text;
}

}  // namespace

std::string calibration_page(const Calibration& calibration, const std::string& title) {
  std::string body = kStyle;
  body += verdict(calibration);
  body += positions(calibration);
  body += masks(calibration);
  body += bands(calibration);
  body += detector(calibration);
  body += captures(calibration);
  return report_page(title, body);
}

}  // namespace snapcube
