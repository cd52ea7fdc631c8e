#pragma once
// A plot of lines with two axes.

#include <string>
#include <vector>

#include <snapcube/render.h>

#include "draw/raster.h"
#include "render/canvas.h"

namespace snapcube {

struct PlotLine {
  std::string name;  ///< in the legend
  Ink ink = {};
  std::vector<Point> points;  ///< x ascending
  bool marked = false;        ///< a dot at every point
};

struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<PlotLine> lines;
  int width = 900;
  int height = 480;
};

/// Axes cover all points, their ticks are round numbers. Points that are not finite are left out.
Picture draw_plot(const LinePlot& plot);

/// Round numbers from below `low` to above `high`, about `count` of them: 1, 2 or 5 times a power of ten apart.
/// 0 and 1 where the range has no end.
std::vector<double> round_ticks(double low, double high, int count);

}  // namespace snapcube
