#include "io/serialise.h"

#include <algorithm>
#include <cstring>

#include "io/tiling.h"

namespace snapcube {

namespace {

struct Strides {
  std::int64_t band, row, column;
};

template <typename T, typename Source>
std::vector<std::byte> reordered(const SaveRequest& request, const Source* values, ElementOrder order) {
  const int bands = std::max(request.bands, 1);
  const std::int64_t height = request.height;
  const std::int64_t width = request.width;
  Strides to{height * width, width, 1};
  NearAxis near = NearAxis::columns;
  if (order == ElementOrder::rows_columns_bands) {
    to = {1, width * bands, bands};
    near = NearAxis::bands;
  } else if (order == ElementOrder::columns_first) {
    to = {height * width, 1, height};
    near = NearAxis::rows;
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(bands * height * width) * sizeof(T));
  const Tiling tiling(bands, request.height, request.width, near);
  const bool worthwhile = bands * height * width >= kParallelElements;
#pragma omp parallel for if (worthwhile)
  for (std::int64_t i = 0; i < tiling.boxes(); ++i) {
    const Box box = tiling.box(i);
    for (int b = box.first_band; b < box.last_band; ++b) {
      for (int y = box.first_row; y < box.last_row; ++y) {
        const Source* from = values + (b * height + y) * width;
        std::byte* target = bytes.data() + (b * to.band + y * to.row) * sizeof(T);
        for (int x = box.first_column; x < box.last_column; ++x) {
          const T value = static_cast<T>(from[x]);
          std::memcpy(target + x * to.column * sizeof(T), &value, sizeof(T));
        }
      }
    }
  }
  return bytes;
}

}  // namespace

Serialised serialise(const SaveRequest& request, ElementOrder order) {
  switch (request.type) {
    case SampleType::u8:
    case SampleType::u16: {
      const Quantised quantised = quantise(request, request.type);
      if (request.type == SampleType::u8) {
        return {reordered<std::uint8_t>(request, quantised.integers.data(), order), ElementType::u8, quantised.scale};
      }
      return {reordered<std::uint16_t>(request, quantised.integers.data(), order), ElementType::u16, quantised.scale};
    }
    case SampleType::f64:
      return {reordered<double>(request, request.values, order), ElementType::f64, 1};
    case SampleType::automatic:
    case SampleType::f32:
      break;
  }
  return {reordered<float>(request, request.values, order), ElementType::f32, 1};
}

std::vector<std::int64_t> shape_with_bands_last(const SaveRequest& request) {
  if (request.bands == 0) return {request.height, request.width};
  return {request.height, request.width, request.bands};
}

}  // namespace snapcube
