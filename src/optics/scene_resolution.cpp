// The resolution target: what a camera can still separate, in several colours on black.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "draw/raster.h"
#include "optics/scene_mixing.h"

namespace snapcube {
namespace {

enum Colour { kWhiteInk, kRed, kOrange, kYellow, kGreen, kCyan, kBlue, kViolet, kInks };

/// Draws in a unit square that fills the shorter side of the picture, one coverage image for each
/// ink.
class Target {
 public:
  Target(const SceneOptions& options, double dx, double dy)
      : scale_(std::min(options.height, options.width)),
        left_(0.5 * (options.width - scale_) + dx * scale_),
        top_(0.5 * (options.height - scale_) + dy * scale_) {
    ink_.fill(Image(options.height, options.width));
  }

  const Image& ink(int colour) const { return ink_[static_cast<std::size_t>(colour)]; }

  void bar(Colour colour, double x, double y, double width, double height) {
    fill_rectangle(image(colour), left_ + x * scale_, top_ + y * scale_, width * scale_, height * scale_);
  }
  void polygon(Colour colour, std::vector<Point> points) {
    for (Point& p : points) p = {left_ + p.x * scale_, top_ + p.y * scale_};
    fill_polygon(image(colour), points);
  }
  void line(Colour colour, std::vector<Point> points, double width) {
    for (Point& p : points) p = {left_ + p.x * scale_, top_ + p.y * scale_};
    stroke_polyline(image(colour), points, width * scale_);
  }
  void disc(Colour colour, double x, double y, double radius) {
    fill_disc(image(colour), {left_ + x * scale_, top_ + y * scale_}, radius * scale_);
  }
  /// `size` is the height of an em; tiny pictures hold no text.
  void text(Colour colour, std::string_view words, double x, double y, double size) {
    draw_text(image(colour), words, {left_ + x * scale_, top_ + y * scale_},
              {.size = size * scale_, .weight = 1.15, .fit_to_pixels = false});
  }

 private:
  Image& image(Colour colour) { return ink_[static_cast<std::size_t>(colour)]; }

  double scale_;
  double left_;
  double top_;
  std::array<Image, kInks> ink_;
};

void star(Target& target, double x, double y, double radius, int spokes) {
  const double step = std::numbers::pi / spokes;
  for (int i = 0; i < spokes; ++i) {
    std::vector<Point> sector = {{x, y}};
    for (int k = 0; k <= 4; ++k) {
      const double angle = (2 * i + k / 4.0) * step;
      sector.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
    }
    target.polygon(kWhiteInk, sector);
  }
  target.disc(kRed, x, y, 0.012);
}

void rings(Target& target, Colour colour, double x, double y, double radius) {
  // Radii √1, √2, √3, …: the rings get finer outwards, each with the same area.
  constexpr int kRings = 9;
  constexpr int kCorners = 96;
  for (int ring = 1; ring < kRings; ring += 2) {
    const double inner = radius * std::sqrt(static_cast<double>(ring) / kRings);
    const double outer = radius * std::sqrt((ring + 1.0) / kRings);
    std::vector<Point> middle;
    for (int i = 0; i <= kCorners; ++i) {
      const double angle = 2 * std::numbers::pi * i / kCorners;
      middle.push_back({x + 0.5 * (inner + outer) * std::cos(angle), y + 0.5 * (inner + outer) * std::sin(angle)});
    }
    target.line(colour, middle, outer - inner);
  }
  target.disc(colour, x, y, radius * std::sqrt(0.6 / kRings));
}

/// Three upright and three lying bars of one width, as on the USAF target.
void bar_group(Target& target, Colour colour, double x, double y, double width) {
  for (int i = 0; i < 3; ++i) {
    target.bar(colour, x + 2 * i * width, y, width, 5 * width);
    target.bar(colour, x + 7 * width, y + 2 * i * width, 5 * width, width);
  }
}

}  // namespace

Cube make_resolution(const SceneOptions& options) {
  Random random(options.seed);
  std::vector<Spectrum> spectra;
  for (const char* name :
       {"white", "ink red", "ink orange", "ink yellow", "ink green", "ink cyan", "ink blue", "ink violet"}) {
    spectra.push_back(material(name).varied(random));
  }
  const int ground = static_cast<int>(spectra.size());
  spectra.push_back(material("black cloth"));
  const double dx = random.uniform(-0.008, 0.008);
  const double dy = random.uniform(-0.008, 0.008);
  Target target(options, dx, dy);

  star(target, 0.245, 0.255, 0.195, 36);
  rings(target, kBlue, 0.54, 0.135, 0.078);
  // A slanted edge.
  target.polygon(kYellow, {{0.485, 0.265}, {0.598, 0.245}, {0.618, 0.358}, {0.505, 0.378}});
  target.bar(kRed, 0.485, 0.41, 0.055, 0.045);
  target.bar(kGreen, 0.545, 0.41, 0.055, 0.045);

  // Line pairs: from a period of 1/20 to one of 1/96 of the picture, each group 0.73 times the one
  // before.
  constexpr std::array<Colour, 6> kGroups = {kCyan, kGreen, kYellow, kOrange, kRed, kViolet};
  double x = 0.665;
  double y = 0.06;
  double period = 0.05;
  for (const Colour colour : kGroups) {
    const double height = 0.052;
    for (int i = 0; i * period < 0.27; ++i) target.bar(colour, x + i * period, y, period / 2, height);
    y += height + 0.016;
    period *= 0.73;
  }

  double width = 0.0155;
  double left = 0.05;
  for (const Colour colour : {kOrange, kCyan, kWhiteInk, kGreen, kViolet}) {
    bar_group(target, colour, left, 0.505, width);
    left += 12 * width + 0.03;
    width *= 0.78;
  }
  // Points of growing size.
  for (int i = 0; i < 9; ++i) target.disc(kWhiteInk, 0.715 + 0.026 * i, 0.488, 0.0022 + 0.0009 * i);

  target.text(kWhiteInk, "Snapcube", 0.05, 0.705, 0.105);
  target.text(kCyan, "28 bands", 0.62, 0.705, 0.082);
  target.text(kYellow, "one snapshot, one cube", 0.05, 0.785, 0.068);
  target.text(kOrange, "λ = 450–650 nm", 0.05, 0.855, 0.052);
  target.text(kGreen, "coded aperture", 0.51, 0.855, 0.052);
  target.text(kViolet, "blur shows first in fine print", 0.05, 0.908, 0.042);
  target.text(kRed, "0123456789", 0.725, 0.908, 0.042);
  target.text(kWhiteInk, "and the smallest line tells what a camera resolves", 0.05, 0.955, 0.034);

  return mix_rows(options, spectra, [&](int py, RowWeights& row) {
    for (int px = 0; px < options.width; ++px) {
      const double fx = (px + 0.5) / options.width - 0.4;
      const double fy = (py + 0.5) / options.height - 0.3;
      const double light = 1 / (1 + 0.25 * (fx * fx + fy * fy));
      double free = 1;
      for (int colour = 0; colour < kInks; ++colour) {
        const double covered = std::min<double>(free, target.ink(colour)(py, px));
        row.add(colour, px, light * covered);
        free -= covered;
      }
      row.add(ground, px, light * free);
    }
  });
}

}  // namespace snapcube
