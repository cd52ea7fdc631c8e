#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/error.h>
#include <snapcube/render.h>

#include "base/parallel.h"
#include "render/appearance.h"
#include "render/canvas.h"
#include "render/colour_map.h"
#include "render/line_plot.h"
#include "render/picks.h"
#include "render/preview_heading.h"
#include "render/preview_layout.h"

namespace snapcube {
namespace {

constexpr TextStyle kTitleStyle = {.size = 28, .weight = 1.1};
constexpr TextStyle kSubtitleStyle = {.size = 17, .weight = 0.95};
constexpr TextStyle kCaptionStyle = {.size = 17};
constexpr TextStyle kLabelStyle = {.size = 15, .weight = 0.95};
constexpr int kBarWidth = 18;
constexpr int kBarReserve = 96;

constexpr double kSpectrumWidth = 2.4;
constexpr double kTrueWidth = 1.2;

/// Colours of paper, text and lines.
struct Theme {
  Ink paper;
  Ink bright;
  Ink soft;
  Ink border;
};
constexpr Theme kDark = {{0.075, 0.082, 0.094}, {0.93, 0.94, 0.95}, {0.66, 0.68, 0.71}, {0.20, 0.21, 0.235}};
constexpr Theme kLight = {{1, 1, 1}, {0.08, 0.09, 0.10}, {0.32, 0.34, 0.37}, {0.78, 0.79, 0.81}};
/// Of the places whose spectra are plotted; they can be told apart on either paper.
constexpr std::array<Ink, 4> kPlaces = {
    Ink{0.90, 0.42, 0.10}, {0.16, 0.52, 0.92}, {0.13, 0.62, 0.33}, {0.72, 0.30, 0.75}};

/// The part of a panel that shows a region of its image.
Frame part(const Frame& panel, const Cube& cube, const Region& region) {
  const auto scaled = [](int value, int from, int to) {
    return static_cast<int>(static_cast<std::int64_t>(value) * to / from);
  };
  const int left = scaled(region.left, cube.width(), panel.width);
  const int top = scaled(region.top, cube.height(), panel.height);
  return {panel.left + left, panel.top + top,
          std::max(scaled(region.left + region.width, cube.width(), panel.width) - left, 1),
          std::max(scaled(region.top + region.height, cube.height(), panel.height) - top, 1)};
}

class Preview {
 public:
  Preview(const Cube& cube, const PreviewOptions& options)
      : cube_(cube), options_(options), theme_(options.light ? kLight : kDark) {
    const int most = std::min(options.spectra, static_cast<int>(kPlaces.size()));
    if (most > 0) places_ = pick_spectral_regions(options.truth ? *options.truth : cube, most);
    const Extent size = {cube.height(), cube.width()};
    std::vector<Extent> panels;
    if (options.measurement) panels.push_back({options.measurement->height(), options.measurement->width()});
    panels.push_back(size);
    if (options.truth) panels.insert(panels.end(), 2, size);
    if (options.expected_error) panels.push_back(size);
    const int bar = options.truth || options.expected_error ? kBarReserve : 0;
    layout_ = lay_out(panels, size, cube.bands(), bar, !places_.empty());
    canvas_.emplace(layout_.height, layout_.width, theme_.paper);
  }

  Picture draw() {
    const LinearColour colour = colours_of(cube_);
    std::optional<LinearColour> true_colour;
    if (options_.truth) true_colour = colours_of(with_wavelengths(*options_.truth));
    exposure_ = options_.exposure.value_or(automatic_exposure(true_colour ? *true_colour : colour));
    draw_title();
    std::size_t panel = 0;
    if (options_.measurement) draw_measurement(layout_.panels[panel++]);
    draw_colour(layout_.panels[panel++], colour, options_.truth ? "reconstruction" : "colours");
    if (true_colour) {
      draw_colour(layout_.panels[panel++], *true_colour, "truth");
    }
    if (true_colour || options_.expected_error) draw_errors(panel);
    if (!places_.empty()) draw_spectra(layout_.plot);
    draw_bands();
    return canvas_->picture();
  }

 private:
  /// A truth that does not tell its wavelengths has those of the cube.
  Cube with_wavelengths(const Cube& truth) const {
    Cube copy = truth;
    if (copy.wavelengths.empty()) copy.wavelengths = cube_.wavelengths;
    return copy;
  }

  void draw_title() {
    const PreviewHeading heading = preview_heading(cube_, options_, exposure_);
    double right = canvas_->width() - kMargin;
    const double left = kMargin;
    if (!heading.scores.empty()) {
      canvas_->text(heading.scores, right, 42, {.size = 24}, theme_.bright, Canvas::Align::right);
      canvas_->text(heading.protocol, right, 67, kSubtitleStyle, theme_.soft, Canvas::Align::right);
      right -= text_width(heading.scores, {.size = 24}) + 2 * kGap;
    }
    canvas_->text(shortened(heading.title, right - left, kTitleStyle), left, 42, kTitleStyle, theme_.bright);
    canvas_->text(shortened(heading.facts, right - left, kSubtitleStyle), left, 67, kSubtitleStyle, theme_.soft);
  }

  /// All captions of the top row stand on one line, below the highest panel.
  void caption(const Frame& frame, const std::string& words) {
    int bottom = 0;
    for (const Frame& f : layout_.panels) bottom = std::max(bottom, f.bottom());
    canvas_->text(shortened(words, std::max(frame.width, 200), kCaptionStyle), frame.left, bottom + 23, kCaptionStyle,
                  theme_.soft);
  }

  void draw_measurement(const Frame& frame) {
    const Image small = resize_area(*options_.measurement, frame.height, frame.width);
    const auto values = options_.measurement->values();
    float largest = 0;
    for (const float v : values) {
      if (std::isfinite(v)) largest = std::max(largest, v);
    }
    canvas_->paste(tinted(small, largest > 0 ? 1 / largest : 1, {1, 1, 1}), frame.left, frame.top);
    canvas_->outline(frame, theme_.border);
    caption(frame, fmt::format("measurement · white = {:.3g}", largest));
  }

  void draw_colour(const Frame& frame, const LinearColour& colour, const std::string& name) {
    canvas_->paste(encode(resize_area(colour, frame.height, frame.width), exposure_), frame.left, frame.top);
    canvas_->outline(frame, theme_.border);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Frame place = part(frame, cube_, places_[i]);
      canvas_->outline(place, kPlaces[i]);
      // A white line around it, since the place may have its colour.
      canvas_->outline({place.left - 1, place.top - 1, place.width + 2, place.height + 2}, grey(1));
    }
    const std::string words = name + (has_colours(cube_) ? " · sRGB" : " · mean");
    caption(frame, words);
  }

  /// The error, and what was expected of it, from this panel on: both as far as the error goes.
  void draw_errors(std::size_t panel) {
    const Image error = options_.truth ? mean_absolute_error(cube_, *options_.truth) : *options_.expected_error;
    const double top = round_up(percentile(error, 0.995));
    if (options_.truth) draw_error(layout_.panels[panel++], error, top, "mean |error| of bands");
    if (options_.expected_error) {
      draw_error(layout_.panels[panel++], *options_.expected_error, top, "expected |error|");
    }
    draw_error_bar(layout_.panels[panel - 1], top);
  }

  void draw_error(const Frame& frame, const Image& error, double top, const std::string& words) {
    const Image small = resize_area(error, frame.height, frame.width);
    for (int y = 0; y < frame.height; ++y) {
      for (int x = 0; x < frame.width; ++x) {
        canvas_->set(frame.top + y, frame.left + x, error_colour(small(y, x) / top));
      }
    }
    canvas_->outline(frame, theme_.border);
    caption(frame, words);
  }

  void draw_error_bar(const Frame& frame, double top) {
    const int height = std::max(frame.height, 80);
    const Frame bar = {frame.right() + kGap, frame.top + (frame.height - height) / 2, kBarWidth, height};
    for (int y = 0; y < bar.height; ++y) {
      canvas_->fill({bar.left, bar.top + y, bar.width, 1}, error_colour(1 - (y + 0.5) / bar.height));
    }
    canvas_->outline(bar, theme_.border);
    // Round numbers: quarters of 2, fifths of 1 and 5.
    const int ticks = fmt::format("{:.0e}", top)[0] == '2' ? 4 : 5;
    for (int i = 0; i <= ticks; i += bar.height < 160 ? ticks : 1) {
      const double y = bar.bottom() - static_cast<double>(i) / ticks * bar.height;
      const double baseline = std::clamp(y + 5.0, bar.top + 11.0, bar.bottom() + 0.0);
      canvas_->text(fmt::format("{:.3g}", top * i / ticks), bar.right() + 7, baseline, kLabelStyle, theme_.soft);
    }
  }

  /// The mean spectra of the places, the true ones thinner.
  void draw_spectra(const Frame& frame) {
    const bool known = has_colours(cube_);
    const auto x_of = [&](std::size_t b) { return known ? cube_.wavelengths[b] : static_cast<double>(b + 1); };
    struct Line {
      std::vector<double> values;
      std::size_t place;
      bool truth;
    };
    std::vector<Line> lines;
    double highest = 0;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (options_.truth) lines.push_back({region_spectrum(*options_.truth, places_[i]), i, true});
      lines.push_back({region_spectrum(cube_, places_[i]), i, false});
    }
    double first = x_of(0);
    double last = first;
    for (std::size_t b = 0; b < static_cast<std::size_t>(cube_.bands()); ++b) {
      first = std::min(first, x_of(b));
      last = std::max(last, x_of(b));
      for (const Line& line : lines) highest = std::max(highest, std::isfinite(line.values[b]) ? line.values[b] : 0.0);
    }
    if (!(last > first)) last = first + 1;
    const auto ticks = round_ticks(0, highest > 0 ? highest : 1, 5);
    constexpr int kLeft = 52;  // for the numbers
    const Frame box = {frame.left + kLeft, frame.top, frame.width - kLeft, frame.height - kLabel};
    const auto place = [&](double x, double y) {
      return Point{box.left + (x - first) / (last - first) * box.width,
                   box.bottom() - std::clamp(y / ticks.back(), 0.0, 1.0) * box.height};
    };
    for (const double tick : ticks) {
      const Point at = place(first, tick);
      canvas_->stroke(std::array{at, Point{at.x + box.width, at.y}}, 1, theme_.border);
      canvas_->text(fmt::format("{:.3g}", tick), at.x - 9, std::max(at.y + 5, box.top + 11.0), kLabelStyle, theme_.soft,
                    Canvas::Align::right);
    }
    for (const double tick : round_ticks(first, last, 10)) {
      if (tick < first || tick > last) continue;
      const Point at = place(tick, 0);
      canvas_->stroke(std::array{at, Point{at.x, at.y + 5}}, 1, theme_.soft);
      const bool at_end = at.x > box.right() - 30;
      canvas_->text(known ? fmt::format("{:.4g} nm", tick) : fmt::format("band {:.4g}", tick),
                    at_end ? box.right() : at.x, box.bottom() + 20, kLabelStyle, theme_.soft,
                    at_end ? Canvas::Align::right : Canvas::Align::centre);
    }
    for (const Line& line : lines) {
      std::vector<Point> path;
      for (std::size_t b = 0; b < line.values.size(); ++b) {
        if (std::isfinite(line.values[b])) path.push_back(place(x_of(b), line.values[b]));
      }
      canvas_->stroke(path, line.truth ? kTrueWidth : kSpectrumWidth, line.truth ? theme_.bright : kPlaces[line.place]);
    }
    const std::string words = std::string("spectra of the marked places") + (options_.truth ? " · thin: truth" : "");
    canvas_->text(words, box.left + 12, box.top + 20, kCaptionStyle, theme_.soft);
  }

  void draw_bands() {
    const bool known = has_colours(cube_);
    std::vector<Picture> tiles(static_cast<std::size_t>(cube_.bands()));
    parallel_for(cube_.bands(), [&](std::int64_t b) {
      const Frame& frame = layout_.bands[b];
      Image band(cube_.height(), cube_.width());
      std::copy_n(cube_.band(static_cast<int>(b)), cube_.band_size(), band.data());
      const bool coloured = known && !options_.grey_bands;
      const Triple tint = coloured ? wavelength_tint(cube_.wavelengths[b]) : Triple{1, 1, 1};
      tiles[b] = tinted(resize_area(band, frame.height, frame.width), exposure_, tint);
    });
    for (std::size_t b = 0; b < tiles.size(); ++b) {
      const Frame& frame = layout_.bands[b];
      canvas_->paste(tiles[b], frame.left, frame.top);
      canvas_->outline(frame, theme_.border);
      const std::string label = known ? fmt::format("{:.4g} nm", cube_.wavelengths[b]) : fmt::format("band {}", b + 1);
      canvas_->text(label, frame.left + frame.width / 2.0, frame.bottom() + 18, kLabelStyle, theme_.soft,
                    Canvas::Align::centre);
    }
  }

  const Cube& cube_;
  const PreviewOptions& options_;
  Theme theme_;
  std::vector<Region> places_;
  PreviewLayout layout_;
  std::optional<Canvas> canvas_;
  double exposure_ = 1;
};

}  // namespace

Picture render_preview(const Cube& cube, const PreviewOptions& options) {
  if (cube.empty()) throw InputError("cube", "size", "at least one pixel and band", "none");
  if (options.measurement && options.measurement->empty()) {
    throw InputError("measurement", "size", "at least one pixel", "none");
  }
  if (options.exposure && !(*options.exposure > 0 && std::isfinite(*options.exposure))) {
    throw InputError("exposure", "", "a number above 0", fmt::format("{}", *options.exposure));
  }
  if (options.truth && (options.truth->bands() != cube.bands() || options.truth->height() != cube.height() ||
                        options.truth->width() != cube.width())) {
    const auto shape = [](const Cube& c) { return fmt::format("{}×{}×{}", c.height(), c.width(), c.bands()); };
    throw InputError("truth", "size", shape(cube) + " as the cube", shape(*options.truth));
  }
  if (const Image* error = options.expected_error;
      error && (error->height() != cube.height() || error->width() != cube.width())) {
    throw InputError("expected error", "size", fmt::format("{}×{} as the cube", cube.height(), cube.width()),
                     fmt::format("{}×{}", error->height(), error->width()));
  }
  return Preview(cube, options).draw();
}

}  // namespace snapcube
