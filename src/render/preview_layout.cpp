#include "render/preview_layout.h"

#include <algorithm>
#include <cmath>

namespace snapcube {
namespace {

constexpr int kContentMinimum = 1000;
constexpr int kContentMaximum = 1544;  // with the margins 1600
constexpr double kPanelHeight = 380;   // wanted; less if the row would get too wide
/// A panel has room for its caption and stands clear of the title, however narrow or low its image
/// is.
constexpr double kPanelWidthMinimum = 200;
constexpr int kRowHeightMinimum = 96;
constexpr int kPlotHeight = 230;
constexpr double kLargeFrame = 512;  // pixels; larger frames get a larger picture
constexpr double kMostGrowth = 2;

/// Width of a band that suits the eye, before it is adapted to fill rows.
double wanted_band_width(int content, int bands) {
  return bands > 48 ? 110 : std::clamp(0.135 * content, 120.0, 170.0);
}

/// width/height, kept in a range that leaves room for the others.
double box_aspect(const Extent& image) { return std::clamp(static_cast<double>(image.width) / image.height, 0.3, 2.5); }

/// Columns of the contact sheet: bands about as wide as wanted, few empty places in the last row.
int choose_columns(int bands, int content, double wanted) {
  int best = 1;
  double best_cost = 1e300;
  for (int columns = 1; columns <= std::min(bands, 24); ++columns) {
    const double width = (content - (columns - 1.0) * kGap) / columns;
    if (width < 64) break;
    const int rows = (bands + columns - 1) / columns;
    const double empty = static_cast<double>(rows * columns - bands) / (rows * columns);
    const double cost = std::fabs(std::log(width / wanted)) + 2 * empty;
    if (cost < best_cost) {
      best_cost = cost;
      best = columns;
    }
  }
  return best;
}

}  // namespace

Extent fitted(const Extent& image, int box_height, int box_width) {
  const double scale =
      std::min(static_cast<double>(box_height) / image.height, static_cast<double>(box_width) / image.width);
  return {std::clamp(static_cast<int>(std::lround(scale * image.height)), std::min(6, box_height), box_height),
          std::clamp(static_cast<int>(std::lround(scale * image.width)), std::min(6, box_width), box_width)};
}

PreviewLayout lay_out(const std::vector<Extent>& panels, const Extent& band, int bands, int reserve, bool plot) {
  const double growth = std::clamp(std::max(band.height, band.width) / kLargeFrame, 1.0, kMostGrowth);
  const double panel_height = growth * kPanelHeight;
  double aspects = 0;
  double natural_width = 0;
  for (const Extent& p : panels) {
    aspects += box_aspect(p);
    natural_width += std::max(kPanelWidthMinimum, panel_height * box_aspect(p));
  }
  const int gaps = kGap * (static_cast<int>(panels.size()) - 1) + reserve;
  const int natural = static_cast<int>(natural_width) + gaps;
  const int content =
      std::clamp(natural, static_cast<int>(growth * kContentMinimum), static_cast<int>(growth * kContentMaximum));
  // Fills the row if that makes the panels no more than a quarter higher than wanted.
  const double height = std::min((content - gaps) / aspects, 1.25 * panel_height);

  PreviewLayout layout;
  layout.width = content + 2 * kMargin;
  double left = kMargin;
  const int top = kTitleHeight;
  int row_height = kRowHeightMinimum;
  for (const Extent& p : panels) {
    row_height =
        std::max(row_height, fitted(p, static_cast<int>(height), static_cast<int>(height * box_aspect(p))).height);
  }
  for (const Extent& p : panels) {
    const double width = height * box_aspect(p);
    const Extent size = fitted(p, static_cast<int>(height), static_cast<int>(width));
    layout.panels.push_back({static_cast<int>(left), top + (row_height - size.height) / 2, size.width, size.height});
    left += std::max(width, kPanelWidthMinimum) + kGap;
  }

  const double aspect = box_aspect(band);
  const double wanted = growth * wanted_band_width(static_cast<int>(content / growth), bands);
  const int columns = choose_columns(bands, content, wanted * std::sqrt(aspect));
  const double cell = std::min((content - (columns - 1.0) * kGap) / columns, growth * 340.0);
  const Extent size = fitted(band, static_cast<int>(cell / aspect), static_cast<int>(cell));
  const int below = top + row_height + kCaption + kGap;
  layout.plot = {kMargin, below, content, plot ? kPlotHeight : 0};
  const int first = layout.plot.bottom() + (plot ? kGap : 0);
  const int pitch = size.height + kLabel + 6;
  for (int i = 0; i < bands; ++i) {
    const double x = kMargin + i % columns * (cell + kGap);
    layout.bands.push_back(
        {static_cast<int>(x + (cell - size.width) / 2), first + i / columns * pitch, size.width, size.height});
  }
  layout.height = first + (bands + columns - 1) / columns * pitch + kMargin - 6;
  return layout;
}

}  // namespace snapcube
