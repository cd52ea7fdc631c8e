#include "io/serialise.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include <snapcube/log.h>

#include "io/tiling.h"

namespace snapcube::io {

namespace {

/// Distance in elements between neighbours along each axis, and the axis where it is 1.
struct Target {
  std::int64_t band, row, column;
  NearAxis near;
};

Target target_of(const SaveRequest& request, ElementOrder order) {
  const std::int64_t bands = request.planes();
  const std::int64_t height = request.height;
  const std::int64_t width = request.width;
  switch (order) {
    case ElementOrder::rows_bands_columns:
      return {width, bands * width, 1, NearAxis::columns};
    case ElementOrder::rows_columns_bands:
      return {1, width * bands, bands, NearAxis::bands};
    case ElementOrder::columns_first:
      return {height * width, 1, height, NearAxis::rows};
    case ElementOrder::bands_rows_columns:
      break;
  }
  return {height * width, width, 1, NearAxis::columns};
}

template <typename T, typename Convert>
std::vector<std::byte> reordered(const SaveRequest& request, ElementOrder order, Convert convert) {
  const std::int64_t height = request.height;
  const std::int64_t width = request.width;
  const Target to = target_of(request, order);
  std::vector<std::byte> bytes(request.count() * sizeof(T));
  const Tiling tiling(request.planes(), request.height, request.width, to.near);
  const bool worthwhile = request.count() >= kParallelElements;
#pragma omp parallel for if (worthwhile)
  for (std::int64_t i = 0; i < tiling.boxes(); ++i) {
    const Box box = tiling.box(i);
    for (int b = box.first_band; b < box.last_band; ++b) {
      for (int y = box.first_row; y < box.last_row; ++y) {
        const float* from = request.values + (b * height + y) * width;
        std::byte* target = bytes.data() + (b * to.band + y * to.row) * sizeof(T);
        for (int x = box.first_column; x < box.last_column; ++x) {
          const T value = convert(from[x]);
          std::memcpy(target + x * to.column * sizeof(T), &value, sizeof(T));
        }
      }
    }
  }
  return bytes;
}

/// max(1, largest value). Warns of negative values.
double scale_of(const SaveRequest& request) {
  const std::size_t count = request.count();
  const float* values = request.values;
  float largest = 1;
  std::int64_t negative = 0;
  const bool worthwhile = count >= kParallelElements;
#pragma omp parallel for if (worthwhile) reduction(max : largest) reduction(+ : negative)
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, values[i]);
    negative += values[i] < 0 ? 1 : 0;
  }
  if (negative > 0) {
    log_warning(
        fmt::format("{}: {} of {} values are negative and are written as 0", request.variable, negative, count));
  }
  return largest;
}

template <typename T>
Serialised quantised(const SaveRequest& request, ElementOrder order, ElementType type) {
  const double scale = scale_of(request);
  const double steps = largest_integer(type);
  auto bytes = reordered<T>(request, order, [=](float v) {
    return static_cast<T>(std::lround(std::max(0.0, static_cast<double>(v)) / scale * steps));
  });
  return {std::move(bytes), type, scale};
}

template <typename T>
Serialised converted(const SaveRequest& request, ElementOrder order, ElementType type) {
  return {reordered<T>(request, order, [](float v) { return static_cast<T>(v); }), type, 1};
}

}  // namespace

Serialised serialise(const SaveRequest& request, ElementOrder order) {
  switch (request.type) {
    case SampleType::u8:
      return quantised<std::uint8_t>(request, order, ElementType::u8);
    case SampleType::u16:
      return quantised<std::uint16_t>(request, order, ElementType::u16);
    case SampleType::f64:
      return converted<double>(request, order, ElementType::f64);
    case SampleType::automatic:
    case SampleType::f32:
      break;
  }
  return converted<float>(request, order, ElementType::f32);
}

std::vector<std::int64_t> shape_with_bands_last(const SaveRequest& request) {
  if (request.bands == 0) return {request.height, request.width};
  return {request.height, request.width, request.bands};
}

}  // namespace snapcube::io
