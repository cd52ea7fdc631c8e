#include "io/convert.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "io/values.h"

namespace snapcube::io {

namespace {

/// The array's axes after indexing and without superfluous singletons: exactly `rank` of them.
std::vector<Axis> selected_axes(const StoredArray& array, std::size_t rank, const Selection& selection,
                                std::int64_t& offset) {
  std::vector<Axis> axes;
  for (const std::int64_t extent : array.shape) axes.push_back({extent, 1});
  std::int64_t stride = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    Axis& axis = axes[array.first_index_fastest ? i : axes.size() - 1 - i];
    axis.stride = stride;
    stride *= axis.extent;
  }

  offset = 0;
  if (selection.index) {
    const std::string field = fmt::format("{}[{}]", field_of(selection), *selection.index);
    if (axes.size() <= rank) {
      throw InputError(selection.source, field, fmt::format("{} dimensions, for an index along the first", rank + 1),
                       shape_text(array.shape));
    }
    if (*selection.index < 0 || *selection.index >= axes.front().extent) {
      throw InputError(selection.source, field, fmt::format("an index 0 … {}", axes.front().extent - 1),
                       fmt::format("{}", *selection.index));
    }
    offset = *selection.index * axes.front().stride;
    axes.erase(axes.begin());
  }
  while (axes.size() > rank) {
    const auto singleton = std::ranges::find(axes, 1, &Axis::extent);
    if (singleton == axes.end()) break;
    axes.erase(singleton);
  }
  if (axes.size() == rank) return axes;

  std::string expected = rank == 3 ? "three dimensions" : "two dimensions";
  if (axes.size() == rank + 1 && !selection.index) {
    expected += fmt::format(" (for one of them write {}:{}[0] … [{}])", selection.source, selection.name,
                            axes.front().extent - 1);
  }
  std::string found = shape_text(array.shape);
  if (rank == 3 && axes.size() == 2) found += " (a measurement or a mask?)";
  throw InputError(selection.source, field_of(selection), expected, found);
}

void check_sizes(const std::vector<Axis>& axes, const StoredArray& array, const Selection& selection,
                 const ReadOptions& options) {
  std::vector<std::int64_t> shape;
  for (const Axis& axis : axes) shape.push_back(axis.extent);
  checked_elements(shape, sizeof(float), options.max_bytes, selection.source, field_of(selection));
  for (const std::int64_t extent : shape) {
    if (extent > std::numeric_limits<int>::max()) {
      throw InputError(selection.source, field_of(selection), "sizes below 2^31", shape_text(array.shape));
    }
  }
}

/// Which axis holds the bands: as the file says, as the user says, as the wavelengths' number says,
/// as the sizes say, as is the custom.
CubeLayout choose_layout(const std::vector<std::int64_t>& shape, const StoredArray& array, const Selection& selection,
                         const ReadOptions& options) {
  if (array.layout != CubeLayout::automatic) return array.layout;
  if (options.layout != CubeLayout::automatic) return options.layout;
  const auto& wavelengths = options.wavelengths.empty() ? array.wavelengths : options.wavelengths;
  const auto number = static_cast<std::int64_t>(wavelengths.size());
  if (std::ranges::count(shape, number) == 1) {
    const auto axis = std::ranges::find(shape, number) - shape.begin();
    return axis == 0   ? CubeLayout::bands_height_width
           : axis == 1 ? CubeLayout::height_bands_width
                       : CubeLayout::height_width_bands;
  }
  const CubeLayout inferred = layout_from_sizes(shape);
  if (inferred == array.custom) return inferred;  // sizes and custom agree: nothing to say
  const CubeLayout layout = inferred == CubeLayout::automatic ? array.custom : inferred;
  const char* order = layout == CubeLayout::bands_height_width   ? "bands × height × width"
                      : layout == CubeLayout::height_bands_width ? "height × bands × width"
                                                                 : "height × width × bands";
  log_info(fmt::format(
      "{}: {} taken as {}, {}", selection.source, shape_text(shape), order,
      inferred == CubeLayout::automatic ? "the custom of this format" : "since the bands' axis is the shortest"));
  return layout;
}

std::vector<double> choose_wavelengths(int bands, const StoredArray& array, const Selection& selection,
                                       const ReadOptions& options) {
  if (!options.wavelengths.empty()) {
    if (options.wavelengths.size() != static_cast<std::size_t>(bands)) {
      throw InputError(selection.source, "wavelengths", fmt::format("one for each of {} bands", bands),
                       fmt::format("{}", options.wavelengths.size()));
    }
    return options.wavelengths;
  }
  if (!array.wavelengths.empty() && array.wavelengths.size() != static_cast<std::size_t>(bands)) {
    log_warning(fmt::format("{}: {} wavelengths for {} bands; they are ignored", selection.source,
                            array.wavelengths.size(), bands));
    return {};
  }
  return array.wavelengths;
}

}  // namespace

std::vector<std::int64_t> without_singletons(std::vector<std::int64_t> shape, std::size_t rank) {
  while (shape.size() > rank) {
    const auto singleton = std::ranges::find(shape, 1);
    if (singleton == shape.end()) break;
    shape.erase(singleton);
  }
  return shape;
}

CubeLayout layout_from_sizes(const std::vector<std::int64_t>& shape) {
  constexpr std::array kLayouts{CubeLayout::bands_height_width, CubeLayout::height_bands_width,
                                CubeLayout::height_width_bands};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int64_t one = shape[(i + 1) % 3];
    const std::int64_t other = shape[(i + 2) % 3];
    const std::int64_t shorter = std::min(one, other);
    if (shape[i] < shorter && (one == other || shape[i] <= shorter - shape[i] / 2)) return kLayouts[i];
  }
  return CubeLayout::automatic;
}

void warn_if_layout_is_misread(const SaveRequest& request, const std::string& path) {
  if (request.bands == 0) return;
  const std::vector<std::int64_t> shape{request.height, request.width, request.bands};
  if (std::ranges::count(shape, static_cast<std::int64_t>(request.wavelengths.size())) == 1) return;
  const CubeLayout layout = layout_from_sizes(shape);
  if (layout == CubeLayout::automatic || layout == CubeLayout::height_width_bands) return;
  log_warning(
      fmt::format("{}: {} is written as height × width × bands; whoever reads it must say so, since "
                  "the bands' axis is not the shortest",
                  path, shape_text(shape)));
}

Cube to_cube(const StoredArray& array, const Selection& selection, const ReadOptions& options) {
  return to_cube(array, Meaning::cube, selection, options);
}

Cube to_cube(const StoredArray& array, Meaning meaning, const Selection& selection, const ReadOptions& options) {
  std::int64_t offset = 0;
  const std::vector<Axis> axes = selected_axes(array, 3, selection, offset);
  check_sizes(axes, array, selection, options);
  const CubeLayout layout = choose_layout({axes[0].extent, axes[1].extent, axes[2].extent}, array, selection, options);
  View view{array.bytes.data() + offset * element_size(array.type), array.type, axes[2], axes[0], axes[1]};
  if (layout == CubeLayout::bands_height_width) {
    view = {view.origin, array.type, axes[0], axes[1], axes[2]};
  } else if (layout == CubeLayout::height_bands_width) {
    view = {view.origin, array.type, axes[1], axes[0], axes[2]};
  }
  std::vector<double> wavelengths = choose_wavelengths(static_cast<int>(view.bands.extent), array, selection, options);
  Cube cube(static_cast<int>(view.bands.extent), static_cast<int>(view.rows.extent),
            static_cast<int>(view.columns.extent));
  fill_values(view, array, meaning, selection, cube.data());
  cube.wavelengths = std::move(wavelengths);
  return cube;
}

Image to_image(const StoredArray& array, Meaning meaning, const Selection& selection, const ReadOptions& options) {
  std::int64_t offset = 0;
  const std::vector<Axis> axes = selected_axes(array, 2, selection, offset);
  check_sizes(axes, array, selection, options);
  const View view{array.bytes.data() + offset * element_size(array.type), array.type, {1, 0}, axes[0], axes[1]};
  Image image(static_cast<int>(axes[0].extent), static_cast<int>(axes[1].extent));
  fill_values(view, array, meaning, selection, image.data());
  return image;
}

}  // namespace snapcube::io
