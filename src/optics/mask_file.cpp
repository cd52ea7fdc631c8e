#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/camera_file.h>
#include <snapcube/error.h>

#include "base/text.h"
#include "io/choose.h"
#include "io/convert.h"
#include "io/location.h"

namespace snapcube {

MaskFile read_masks(const std::string& text, const ReadOptions& options) {
  const io::Location location = io::parse_location(text);
  const io::Format& format = io::format_for_reading(location.path);
  const std::string name = io::choose_array(format.describe(location.path, options), location, io::Meaning::mask);
  const io::StoredArray array = format.load(location.path, name, options);
  const io::Selection selection{location.path, name, location.index};
  MaskFile result;
  if (location.index || io::without_singletons(array.shape, 2).size() != 3) {
    result.mask = io::to_image(array, io::Meaning::mask, selection, options);
  } else {
    result.masks = io::to_cube(array, io::Meaning::mask, selection, options);
    result.shifted = lower(name).find("shift") != std::string::npos;
  }
  return result;
}

namespace {

int whole(double offset) {
  if (offset != std::floor(offset)) {
    throw InputError("masks", "offsets", "whole pixels, for masks that are shifted", fmt::format("{}", offset));
  }
  return static_cast<int>(offset);
}

}  // namespace

namespace {

/// Dark lines at the beginning of a band's mask, along the dispersion.
int dark_lines(const Cube& masks, int band, bool columns) {
  const int lines = columns ? masks.width() : masks.height();
  const int length = columns ? masks.height() : masks.width();
  for (int line = 0; line < lines; ++line) {
    for (int i = 0; i < length; ++i) {
      if ((columns ? masks(band, i, line) : masks(band, line, i)) != 0) return line;
    }
  }
  return lines;
}

}  // namespace

Cube unshifted_masks(const Cube& shifted, const CameraOptions& given, const std::string& source) {
  CameraOptions options = given;
  options.bands = shifted.bands();
  options.wavelengths = {};
  // A camera of one pixel knows where the bands are.
  const Camera places(Image(1, 1, 1.0f), options);
  const bool columns = options.axis == Axis::columns;
  const int span = (columns ? places.detector_width() : places.detector_height()) - 1;
  const int height = shifted.height() - (columns ? 0 : span);
  const int width = shifted.width() - (columns ? span : 0);
  if (height < 1 || width < 1) {
    throw InputError(source, "masks", fmt::format("more than the {} pixels of dispersion", span),
                     shape_text(shifted.height(), shifted.width()));
  }
  Cube masks(shifted.bands(), height, width);
  masks.wavelengths = shifted.wavelengths;
  for (int b = 0; b < masks.bands(); ++b) {
    const int offset = whole(places.offsets()[static_cast<std::size_t>(b)]);
    const int down = columns ? 0 : offset;
    const int right = columns ? offset : 0;
    for (int y = 0; y < shifted.height(); ++y) {
      for (int x = 0; x < shifted.width(); ++x) {
        const int row = y - down;
        const int column = x - right;
        if (row >= 0 && row < height && column >= 0 && column < width) {
          masks(b, row, column) = shifted(b, y, x);
        } else if (shifted(b, y, x) != 0) {
          throw InputError(source, fmt::format("mask of band {}", b),
                           fmt::format("nothing outside of {} … {} (is --step right?)", offset,
                                       offset + (columns ? width : height) - 1),
                           fmt::format("{:g} at row {}, column {}", shifted(b, y, x), y, x));
        }
      }
    }
  }
  // With too small a step nothing lies outside, but masks begin later and later.
  const int last = masks.bands() - 1;
  if (dark_lines(masks, 0, columns) != dark_lines(masks, last, columns)) {
    throw InputError(source, "masks", "masks that begin alike in every band (is --step right?)",
                     fmt::format("{} dark lines in band 0, {} in band {}", dark_lines(masks, 0, columns),
                                 dark_lines(masks, last, columns), last));
  }
  return masks;
}

Cube shifted_masks(const Camera& camera) {
  Cube shifted(camera.bands(), camera.detector_height(), camera.detector_width());
  shifted.wavelengths = camera.wavelengths();
  for (int b = 0; b < camera.bands(); ++b) {
    const int offset = whole(camera.offsets()[static_cast<std::size_t>(b)]);
    const bool columns = camera.axis() == Axis::columns;
    for (int y = 0; y < camera.height(); ++y) {
      std::copy_n(camera.mask_row(b, y), camera.width(),
                  shifted.row(b, y + (columns ? 0 : offset)) + (columns ? offset : 0));
    }
  }
  return shifted;
}

}  // namespace snapcube
