// Stand-ins for format.cpp, so that this branch links by itself. Delete when format.cpp is merged.

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/format.h"

namespace snapcube {

std::size_t element_size(ElementType type) {
  constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return kSizes[static_cast<int>(type)];
}

std::string element_name(ElementType type) {
  constexpr const char* kNames[] = {"uint8",  "int8",  "uint16",  "int16",   "uint32", "int32",
                                    "uint64", "int64", "float16", "float32", "float64"};
  return kNames[static_cast<int>(type)];
}

std::uint64_t checked_elements(const std::vector<std::int64_t>& shape,
                               std::size_t bytes_per_element, std::uint64_t max_bytes,
                               const std::string& source, const std::string& field) {
  std::uint64_t elements = 1;
  for (const std::int64_t extent : shape) {
    if (extent <= 0) throw InputError(source, field, "positive extents", shape_text(shape));
    if (static_cast<std::uint64_t>(extent) > max_bytes / bytes_per_element / elements) {
      throw InputError(source, field, fmt::format("at most {} bytes", max_bytes),
                       shape_text(shape));
    }
    elements *= static_cast<std::uint64_t>(extent);
  }
  return elements;
}

Quantised quantise(const SaveRequest& request, SampleType type) {
  const std::size_t count =
      static_cast<std::size_t>(std::max(1, request.bands)) * request.height * request.width;
  Quantised result;
  for (std::size_t i = 0; i < count; ++i) {
    result.scale = std::max(result.scale, static_cast<double>(request.values[i]));
  }
  const double top = type == SampleType::u8 ? 255 : 65535;
  result.integers.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    result.integers[i] = static_cast<std::uint16_t>(
        std::lround(std::max(0.0, request.values[i] / result.scale) * top));
  }
  return result;
}

}  // namespace snapcube
