#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include <snapcube/error.h>
#include <snapcube/metrics.h>
#include <snapcube/render.h>

#include "base/parallel.h"
#include "base/text.h"
#include "render/appearance.h"
#include "render/canvas.h"
#include "render/colour_map.h"
#include "render/preview_layout.h"

namespace snapcube {
namespace {

constexpr Ink kPaper = {0.075, 0.082, 0.094};
constexpr Ink kBright = {0.93, 0.94, 0.95};
constexpr Ink kSoft = {0.66, 0.68, 0.71};
constexpr Ink kBorder = {0.20, 0.21, 0.235};
constexpr TextStyle kTitleStyle = {.size = 28, .weight = 1.1};
constexpr TextStyle kSubtitleStyle = {.size = 17, .weight = 0.95};
constexpr TextStyle kCaptionStyle = {.size = 17};
constexpr TextStyle kLabelStyle = {.size = 15, .weight = 0.95};
constexpr int kBarWidth = 18;
constexpr int kBarReserve = 96;

std::string range_text(const std::vector<double>& wavelengths) {
  const auto [low, high] = std::ranges::minmax(wavelengths);
  return low == high ? fmt::format("{:.4g} nm", low) : fmt::format("{:.4g}–{:.4g} nm", low, high);
}

class Preview {
 public:
  Preview(const Cube& cube, const PreviewOptions& options) : cube_(cube), options_(options) {
    const Extent size = {cube.height(), cube.width()};
    std::vector<Extent> panels;
    if (options.measurement) panels.push_back({options.measurement->height(), options.measurement->width()});
    panels.push_back(size);
    if (options.truth) panels.insert(panels.end(), 2, size);
    layout_ = lay_out(panels, size, cube.bands(), options.truth ? kBarReserve : 0);
    canvas_.emplace(layout_.height, layout_.width, kPaper);
  }

  Picture draw() {
    const LinearColour colour = colours_of(cube_);
    std::optional<LinearColour> true_colour;
    if (options_.truth) true_colour = colours_of(with_wavelengths(*options_.truth));
    exposure_ = automatic_exposure(true_colour ? *true_colour : colour);
    draw_title();
    std::size_t panel = 0;
    if (options_.measurement) draw_measurement(layout_.panels[panel++]);
    draw_colour(layout_.panels[panel++], colour, options_.truth ? "reconstruction" : "colours");
    if (true_colour) {
      draw_colour(layout_.panels[panel++], *true_colour, "truth");
      draw_error(layout_.panels[panel]);
    }
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
    double right = canvas_->width() - kMargin;
    const double left = kMargin;
    if (options_.truth) {
      const std::string scores =
          fmt::format("PSNR {:.2f} dB  ·  SSIM {:.4f}", psnr(cube_, *options_.truth), ssim(cube_, *options_.truth));
      canvas_->text(scores, right, 42, {.size = 24}, kBright, Canvas::Align::right);
      canvas_->text(to_string(Protocol::toolbox) + " protocol", right, 67, kSubtitleStyle, kSoft, Canvas::Align::right);
      right -= text_width(scores, {.size = 24}) + 2 * kGap;
    }
    const std::string title = options_.title.empty() ? "Snapcube" : options_.title;
    canvas_->text(shortened(title, right - left, kTitleStyle), left, 42, kTitleStyle, kBright);
    std::string subtitle = fmt::format("{} pixels · {} band{}", shape_text(cube_.height(), cube_.width()),
                                       cube_.bands(), cube_.bands() == 1 ? "" : "s");
    if (has_colours(cube_)) subtitle += " · " + range_text(cube_.wavelengths);
    if (exposure_ != 1) subtitle += fmt::format(" · exposure ×{:.3g}", exposure_);
    canvas_->text(subtitle, left, 67, kSubtitleStyle, kSoft);
  }

  /// All captions of the top row stand on one line, below the highest panel.
  void caption(const Frame& frame, const std::string& words) {
    int bottom = 0;
    for (const Frame& f : layout_.panels) bottom = std::max(bottom, f.bottom());
    canvas_->text(shortened(words, std::max(frame.width, 200), kCaptionStyle), frame.left, bottom + 23, kCaptionStyle,
                  kSoft);
  }

  void draw_measurement(const Frame& frame) {
    const Image small = resize_area(*options_.measurement, frame.height, frame.width);
    const auto values = options_.measurement->values();
    float largest = 0;
    for (const float v : values) {
      if (std::isfinite(v)) largest = std::max(largest, v);
    }
    canvas_->paste(tinted(small, largest > 0 ? 1 / largest : 1, {1, 1, 1}), frame.left, frame.top);
    canvas_->outline(frame, kBorder);
    caption(frame, fmt::format("measurement · white = {:.3g}", largest));
  }

  void draw_colour(const Frame& frame, const LinearColour& colour, const std::string& name) {
    canvas_->paste(encode(resize_area(colour, frame.height, frame.width), exposure_), frame.left, frame.top);
    canvas_->outline(frame, kBorder);
    const std::string words = name + (has_colours(cube_) ? " · sRGB" : " · mean");
    caption(frame, words);
  }

  void draw_error(const Frame& frame) {
    const Image error = mean_absolute_error(cube_, *options_.truth);
    const double top = round_up(percentile(error, 0.995));
    const Image small = resize_area(error, frame.height, frame.width);
    for (int y = 0; y < frame.height; ++y) {
      for (int x = 0; x < frame.width; ++x) {
        canvas_->set(frame.top + y, frame.left + x, error_colour(small(y, x) / top));
      }
    }
    canvas_->outline(frame, kBorder);
    caption(frame, "mean |error| of bands");

    const int height = std::max(frame.height, 80);
    const Frame bar = {frame.right() + kGap, frame.top + (frame.height - height) / 2, kBarWidth, height};
    for (int y = 0; y < bar.height; ++y) {
      canvas_->fill({bar.left, bar.top + y, bar.width, 1}, error_colour(1 - (y + 0.5) / bar.height));
    }
    canvas_->outline(bar, kBorder);
    // Round numbers: quarters of 2, fifths of 1 and 5.
    const int ticks = fmt::format("{:.0e}", top)[0] == '2' ? 4 : 5;
    for (int i = 0; i <= ticks; i += bar.height < 160 ? ticks : 1) {
      const double y = bar.bottom() - static_cast<double>(i) / ticks * bar.height;
      const double baseline = std::clamp(y + 5.0, bar.top + 11.0, bar.bottom() + 0.0);
      canvas_->text(fmt::format("{:.3g}", top * i / ticks), bar.right() + 7, baseline, kLabelStyle, kSoft);
    }
  }

  void draw_bands() {
    const bool known = has_colours(cube_);
    std::vector<Picture> tiles(static_cast<std::size_t>(cube_.bands()));
    parallel_for(cube_.bands(), [&](std::int64_t b) {
      const Frame& frame = layout_.bands[b];
      Image band(cube_.height(), cube_.width());
      std::copy_n(cube_.band(static_cast<int>(b)), cube_.band_size(), band.data());
      const Triple tint = known ? wavelength_tint(cube_.wavelengths[b]) : Triple{1, 1, 1};
      tiles[b] = tinted(resize_area(band, frame.height, frame.width), exposure_, tint);
    });
    for (std::size_t b = 0; b < tiles.size(); ++b) {
      const Frame& frame = layout_.bands[b];
      canvas_->paste(tiles[b], frame.left, frame.top);
      canvas_->outline(frame, kBorder);
      const std::string label = known ? fmt::format("{:.4g} nm", cube_.wavelengths[b]) : fmt::format("band {}", b + 1);
      canvas_->text(label, frame.left + frame.width / 2.0, frame.bottom() + 18, kLabelStyle, kSoft,
                    Canvas::Align::centre);
    }
  }

  const Cube& cube_;
  const PreviewOptions& options_;
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
  if (options.truth && (options.truth->bands() != cube.bands() || options.truth->height() != cube.height() ||
                        options.truth->width() != cube.width())) {
    const auto shape = [](const Cube& c) { return fmt::format("{}×{}×{}", c.height(), c.width(), c.bands()); };
    throw InputError("truth", "size", shape(cube) + " as the cube", shape(*options.truth));
  }
  return Preview(cube, options).draw();
}

}  // namespace snapcube
