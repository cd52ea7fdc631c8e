#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/detector.h>
#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

void check_size(const Image& image, const Image& counts, const char* field, const std::string& source) {
  if (image.empty() || (image.height() == counts.height() && image.width() == counts.width())) return;
  throw InputError(source, field, fmt::format("{}, the frame's size", shape_text(counts.height(), counts.width())),
                   shape_text(image.height(), image.width()));
}

void set_size(Image& image, int height, int width) {
  if (image.height() != height || image.width() != width) image = Image(height, width);
}

struct Place {
  int row;
  int column;
};

/// Where a pixel of a picture of height × width comes to lie after quarter turns clockwise.
Place turned(int row, int column, int height, int width, int turns) {
  switch (turns) {
    case 1:
      return {column, height - 1 - row};
    case 2:
      return {height - 1 - row, width - 1 - column};
    case 3:
      return {width - 1 - column, row};
    default:
      return {row, column};
  }
}

}  // namespace

void prepare(const Image& counts, const Detector& detector, const std::string& source, PreparedFrame& frame) {
  check_size(detector.dark, counts, "dark frame", source);
  check_size(detector.flat, counts, "flat field", source);
  check_size(detector.bad, counts, "bad pixels", source);
  const Region region = detector.region.value_or(Region{0, 0, counts.height(), counts.width()});
  if (region.top < 0 || region.left < 0 || region.height < 1 || region.width < 1 ||
      region.height > counts.height() - region.top || region.width > counts.width() - region.left) {
    throw InputError(
        source, "region", fmt::format("inside the frame of {}", shape_text(counts.height(), counts.width())),
        fmt::format("{} from row {}, column {}", shape_text(region.height, region.width), region.top, region.left));
  }
  const int bin = std::max(1, detector.binning);
  const int height = region.height / bin;
  const int width = region.width / bin;
  if (height == 0 || width == 0) {
    throw InputError(source, "binning", fmt::format("at most {}", std::min(region.height, region.width)),
                     std::to_string(bin));
  }
  const double black_mean = detector.dark.empty() ? detector.black_level : 0;
  double full = 1;
  if (detector.saturation > 0) {
    double black = black_mean;
    if (!detector.dark.empty()) {
      for (const float v : detector.dark.values()) black += v;
      black /= static_cast<double>(detector.dark.size());
    }
    full = detector.saturation - black;
    if (!(full > 0)) {
      throw InputError(source, "saturation", fmt::format("above the black level of {:g} counts", black),
                       fmt::format("{:g}", detector.saturation));
    }
  }
  const int turns = ((detector.quarter_turns % 4) + 4) % 4;
  const bool sideways = turns % 2 == 1;
  set_size(frame.values, sideways ? width : height, sideways ? height : width);
  set_size(frame.weights, frame.values.height(), frame.values.width());
  frame.saturated = 0;
  frame.bad = 0;
  bool all_good = true;
  bool any_good = false;
  for (int y = 0; y < height; ++y) {
    const int to_row = detector.flip_rows ? height - 1 - y : y;
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      int good = 0;
      for (int r = region.top + y * bin; r < region.top + (y + 1) * bin; ++r) {
        for (int c = region.left + x * bin; c < region.left + (x + 1) * bin; ++c) {
          const float value = counts(r, c);
          const double flat = detector.flat.empty() ? 1.0 : detector.flat(r, c);
          if ((!detector.bad.empty() && detector.bad(r, c) != 0) || !(flat > 0)) {
            ++frame.bad;
          } else if (detector.saturation > 0 && value >= detector.saturation) {
            ++frame.saturated;
          } else {
            const double black = detector.dark.empty() ? black_mean : detector.dark(r, c);
            sum += (value - black) / flat;
            ++good;
          }
        }
      }
      const int to_column = detector.flip_columns ? width - 1 - x : x;
      const Place to = turned(to_row, to_column, height, width, turns);
      frame.values(to.row, to.column) = good > 0 ? static_cast<float>(sum / good / full) : 0.0f;
      frame.weights(to.row, to.column) = static_cast<float>(good) / static_cast<float>(bin * bin);
      all_good = all_good && good == bin * bin;
      any_good = any_good || good > 0;
    }
  }
  if (!any_good) {
    throw InputError(source, "pixels", "some that are neither bad nor saturated",
                     fmt::format("{} bad and {} saturated", frame.bad, frame.saturated));
  }
  if (all_good) frame.weights = {};
}

}  // namespace snapcube
