#include "c_api/arrays.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <span>

#include <snapcube/error.h>

#include "base/text.h"
#include "c_api/guard.h"

namespace snapcube::c_api {

namespace {

constexpr const char* kSource = "snapcube";

struct Dimension {
  int length;
  std::ptrdiff_t stride;  ///< in floats
};

/// The dimensions of an array with its strides, the usual ones where all are 0.
template <std::size_t N>
std::array<Dimension, N> with_strides(std::array<Dimension, N> dimensions) {
  if (std::ranges::any_of(dimensions, [](const Dimension& a) { return a.stride != 0; })) return dimensions;
  std::ptrdiff_t stride = 1;
  for (std::size_t i = N; i-- > 0;) {
    dimensions[i].stride = stride;
    stride *= dimensions[i].length;
  }
  return dimensions;
}

std::array<Dimension, 2> dimensions_of(const snapcube_image& image) {
  return with_strides<2>({{{image.height, image.row_stride}, {image.width, image.column_stride}}});
}

std::array<Dimension, 3> dimensions_of(const snapcube_cube& cube) {
  return with_strides<3>(
      {{{cube.bands, cube.band_stride}, {cube.height, cube.row_stride}, {cube.width, cube.column_stride}}});
}

std::string sizes_text(const snapcube_image& image) { return shape_text(image.height, image.width); }
std::string sizes_text(const snapcube_cube& cube) {
  return fmt::format("{}×{}×{}", cube.bands, cube.height, cube.width);
}

/// Sizes and strides under which neither a count of values nor a distance between two of them overflows.
template <typename Array>
void check_shape(const Array* array, const char* name) {
  check_given(array, name);
  const bool lengths_good = [&] {
    constexpr std::int64_t kMost = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(float);
    std::int64_t count = 1;
    if constexpr (std::is_same_v<Array, snapcube_cube>) count = array->bands;
    if (count < 1 || array->height < 1 || array->width < 1) return false;
    for (const int length : {array->height, array->width}) {
      if (count > kMost / length) return false;
      count *= length;
    }
    return true;
  }();
  if (!lengths_good) {
    throw InputError(kSource, name, "sizes of at least 1 that memory can hold", sizes_text(*array));
  }
  check_given(array->data, name);
  std::int64_t reach = 0;
  for (const auto& [length, stride] : dimensions_of(*array)) {
    constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 16;
    const std::int64_t distance = stride < 0 ? -(stride + 1) : stride;
    if (length > 1 && distance > kFar / length) {
      throw InputError(kSource, name, "strides within memory", fmt::format("one of {}", stride));
    }
    reach += length > 1 ? distance * (length - 1) : 0;
    if (reach > kFar) throw InputError(kSource, name, "strides within memory", fmt::format("a reach of {}", reach));
  }
}

/// No two values at the same place: each stride, from the smallest on, passes over all that the ones before reach. This
/// refuses some interleaved arrays that would do, and none that programs make.
template <std::size_t N>
void check_no_overlap(std::array<Dimension, N> dimensions, const char* name) {
  // The stride of a dimension with one value is never used, and may be any number.
  const auto distance = [](const Dimension& a) { return a.length == 1 ? 0 : a.stride < 0 ? -a.stride : a.stride; };
  std::ranges::sort(dimensions, {}, distance);
  std::ptrdiff_t reached = 0;
  for (const Dimension& dimension : dimensions) {
    if (dimension.length == 1) continue;
    if (distance(dimension) <= reached) {
      std::vector<std::ptrdiff_t> strides;
      for (const Dimension& a : dimensions) strides.push_back(a.stride);
      throw InputError(kSource, name, "strides under which no two values lie at the same place",
                       fmt::format("{}", fmt::join(strides, ", ")));
    }
    reached += distance(dimension) * (dimension.length - 1);
  }
}

/// rows × columns values between contiguous memory and strided memory.
void gather(const float* from, const Dimension& rows, const Dimension& columns, float* to) {
  for (int y = 0; y < rows.length; ++y, to += columns.length) {
    const float* row = from + y * rows.stride;
    for (int x = 0; x < columns.length; ++x) to[x] = row[x * columns.stride];
  }
}

void scatter(const float* from, float* to, const Dimension& rows, const Dimension& columns) {
  for (int y = 0; y < rows.length; ++y, from += columns.length) {
    float* row = to + y * rows.stride;
    for (int x = 0; x < columns.length; ++x) row[x * columns.stride] = from[x];
  }
}

void check_finite(std::span<const float> values, const char* name) {
  const auto bad = std::ranges::count_if(values, [](float v) { return !std::isfinite(v); });
  if (bad > 0) {
    throw InputError(kSource, name, "finite values", fmt::format("{} of {} NaN or infinite", bad, values.size()));
  }
}

}  // namespace

Image copy_in(const snapcube_image* image, const char* name) {
  check_shape(image, name);
  Image values(image->height, image->width);
  const auto dimensions = dimensions_of(*image);
  gather(image->data, dimensions[0], dimensions[1], values.data());
  check_finite(values.values(), name);
  return values;
}

Cube copy_in(const snapcube_cube* cube, const char* name) {
  check_shape(cube, name);
  Cube values(cube->bands, cube->height, cube->width);
  const auto dimensions = dimensions_of(*cube);
  for (int b = 0; b < cube->bands; ++b) {
    gather(cube->data + b * dimensions[0].stride, dimensions[1], dimensions[2], values.band(b));
  }
  check_finite(values.values(), name);
  return values;
}

void check_size(const snapcube_image* image, int height, int width, const char* name) {
  check_shape(image, name);
  if (image->height != height || image->width != width) {
    throw InputError(kSource, name, shape_text(height, width), sizes_text(*image));
  }
}

void check_size(const snapcube_cube* cube, int bands, int height, int width, const char* name) {
  check_shape(cube, name);
  if (cube->bands != bands || cube->height != height || cube->width != width) {
    throw InputError(kSource, name, fmt::format("{}×{}×{} (bands, rows, columns)", bands, height, width),
                     sizes_text(*cube));
  }
}

void check_output(const snapcube_image* image, const char* name) {
  check_shape(image, name);
  check_no_overlap(dimensions_of(*image), name);
}

void check_output(const snapcube_cube* cube, const char* name) {
  check_shape(cube, name);
  check_no_overlap(dimensions_of(*cube), name);
}

void copy_out(const Image& values, const snapcube_image& image) {
  const auto dimensions = dimensions_of(image);
  scatter(values.data(), image.data, dimensions[0], dimensions[1]);
}

void copy_out(const Cube& values, const snapcube_cube& cube) {
  const auto dimensions = dimensions_of(cube);
  for (int b = 0; b < cube.bands; ++b)
    scatter(values.band(b), cube.data + b * dimensions[0].stride, dimensions[1], dimensions[2]);
}

std::vector<double> copy_in(const double* numbers, int count, const char* name) {
  if (!numbers) return {};
  std::vector<double> result(numbers, numbers + count);
  for (const double number : result) {
    if (!std::isfinite(number)) throw InputError(kSource, name, "finite numbers", fmt::format("{}", number));
  }
  return result;
}

}  // namespace snapcube::c_api
