#include "io/format.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "io/tiling.h"

namespace snapcube {

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16:
      return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32:
      return 4;
    case ElementType::u64:
    case ElementType::i64:
    case ElementType::f64:
      break;
  }
  return 8;
}

std::string element_name(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "uint8";
    case ElementType::i8:
      return "int8";
    case ElementType::u16:
      return "uint16";
    case ElementType::i16:
      return "int16";
    case ElementType::u32:
      return "uint32";
    case ElementType::i32:
      return "int32";
    case ElementType::u64:
      return "uint64";
    case ElementType::i64:
      return "int64";
    case ElementType::f16:
      return "float16";
    case ElementType::f32:
      return "float32";
    case ElementType::f64:
      break;
  }
  return "float64";
}

std::uint64_t checked_elements(const std::vector<std::int64_t>& shape, std::size_t bytes_per_element,
                               std::uint64_t max_bytes, const std::string& source, const std::string& field) {
  const std::uint64_t limit = max_bytes / bytes_per_element;
  std::uint64_t count = 1;
  bool too_many = false;
  for (const std::int64_t extent : shape) {
    if (extent <= 0) throw InputError(source, field, "positive sizes", shape_text(shape));
    too_many = too_many || static_cast<std::uint64_t>(extent) > limit / count;
    if (!too_many) count *= static_cast<std::uint64_t>(extent);
  }
  if (too_many || count > limit) {
    throw InputError(source, field, fmt::format("at most {} bytes (the limit for reading)", max_bytes),
                     fmt::format("{} elements of {} bytes", shape_text(shape), bytes_per_element));
  }
  return count;
}

Quantised quantise(const SaveRequest& request, SampleType type) {
  const std::size_t count = static_cast<std::size_t>(std::max(request.bands, 1)) * request.height * request.width;
  const float* values = request.values;
  float largest = 1;
  std::int64_t negative = 0;
  const bool worthwhile = count >= static_cast<std::size_t>(kParallelElements);
#pragma omp parallel for if (worthwhile) reduction(max : largest) reduction(+ : negative)
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, values[i]);
    negative += values[i] < 0 ? 1 : 0;
  }
  if (negative > 0) {
    log_warning(
        fmt::format("{}: {} of {} values are negative and are written as 0", request.variable, negative, count));
  }
  Quantised result;
  result.scale = largest;
  result.integers.resize(count);
  const double steps = type == SampleType::u8 ? 255 : 65535;
#pragma omp parallel for if (worthwhile)
  for (std::size_t i = 0; i < count; ++i) {
    const double step = std::max(0.0, static_cast<double>(values[i])) / result.scale * steps;
    result.integers[i] = static_cast<std::uint16_t>(step + 0.5);
  }
  return result;
}

}  // namespace snapcube
