#pragma once
// Lines and dots over two axes, as a plot inside of a page.

#include <string>
#include <vector>

#include "render/line_plot.h"

namespace snapcube {

struct XySeries {
  std::string name;  ///< in the legend; empty: not in it
  std::string colour;
  std::vector<Point> points;
  bool line = false;  ///< joined; otherwise dots
  bool ring = false;  ///< dots are hollow
};

struct XyFigure {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<XySeries> series;
  double width = 640;
  double height = 300;
  bool from_zero = false;  ///< the y axis starts at 0
  double least_range = 0;  ///< of the y axis, so that noise does not look large
};

std::string xy_svg(const XyFigure& figure);

}  // namespace snapcube
