#include "io/values.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "io/half.h"
#include "io/tiling.h"

namespace snapcube::io {

namespace {

struct Half {
  std::uint16_t bits;
};

float value_of(Half half) { return float_from_half(half.bits); }
template <typename T>
T value_of(T value) {
  return value;
}

/// The extremes of the values as they are stored, and how many became no finite float.
struct Statistics {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  std::int64_t not_finite = 0;
};

/// out[b][y][x] = value · numerator / denominator. Divides, so that the result is the nearest
/// float.
template <typename T>
Statistics copy_scaled(const View& view, double numerator, double denominator, float* out) {
  // Not a structured binding: OpenMP cannot capture those in clang 14.
  const Axis bands = view.bands;
  const Axis rows = view.rows;
  const Axis columns = view.columns;
  const NearAxis near = columns.stride == 1 ? NearAxis::columns : rows.stride == 1 ? NearAxis::rows : NearAxis::bands;
  const Tiling tiling(static_cast<int>(bands.extent), static_cast<int>(rows.extent), static_cast<int>(columns.extent),
                      near);
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -smallest;
  std::int64_t not_finite = 0;
  const bool worthwhile = static_cast<std::uint64_t>(bands.extent * rows.extent * columns.extent) >= kParallelElements;
#pragma omp parallel for if (worthwhile) reduction(min : smallest) reduction(max : largest) reduction(+ : not_finite)
  for (std::int64_t i = 0; i < tiling.boxes(); ++i) {
    const Box box = tiling.box(i);
    for (int b = box.first_band; b < box.last_band; ++b) {
      for (int y = box.first_row; y < box.last_row; ++y) {
        const std::byte* from = view.origin + (b * bands.stride + y * rows.stride) * sizeof(T);
        float* to = out + (b * rows.extent + y) * columns.extent;
        for (int x = box.first_column; x < box.last_column; ++x) {
          T stored;
          std::memcpy(&stored, from + x * columns.stride * sizeof(T), sizeof(T));
          const auto plain = static_cast<double>(value_of(stored));
          const auto value = static_cast<float>(plain * numerator / denominator);
          to[x] = value;
          smallest = plain < smallest ? plain : smallest;
          largest = plain > largest ? plain : largest;
          not_finite += std::abs(value) <= std::numeric_limits<float>::max() ? 0 : 1;
        }
      }
    }
  }
  return {smallest, largest, not_finite};
}

Statistics copy_scaled(const View& view, double numerator, double denominator, float* out) {
  switch (view.type) {
    case ElementType::u8:
      return copy_scaled<std::uint8_t>(view, numerator, denominator, out);
    case ElementType::i8:
      return copy_scaled<std::int8_t>(view, numerator, denominator, out);
    case ElementType::u16:
      return copy_scaled<std::uint16_t>(view, numerator, denominator, out);
    case ElementType::i16:
      return copy_scaled<std::int16_t>(view, numerator, denominator, out);
    case ElementType::u32:
      return copy_scaled<std::uint32_t>(view, numerator, denominator, out);
    case ElementType::i32:
      return copy_scaled<std::int32_t>(view, numerator, denominator, out);
    case ElementType::u64:
      return copy_scaled<std::uint64_t>(view, numerator, denominator, out);
    case ElementType::i64:
      return copy_scaled<std::int64_t>(view, numerator, denominator, out);
    case ElementType::f16:
      return copy_scaled<Half>(view, numerator, denominator, out);
    case ElementType::f32:
      return copy_scaled<float>(view, numerator, denominator, out);
    case ElementType::f64:
      break;
  }
  return copy_scaled<double>(view, numerator, denominator, out);
}

[[noreturn]] void refuse_not_finite(const View& view, const float* out, std::int64_t count,
                                    const Selection& selection) {
  const std::int64_t total = view.bands.extent * view.rows.extent * view.columns.extent;
  const float* first = std::find_if_not(out, out + total, [](float v) { return std::isfinite(v); });
  const std::int64_t at = first - out;
  std::string found = std::isnan(*first) ? "NaN" : "infinity";
  if (view.type == ElementType::f64 && std::isinf(*first)) {
    const std::int64_t x = at % view.columns.extent;
    const std::int64_t y = at / view.columns.extent % view.rows.extent;
    const std::int64_t b = at / view.columns.extent / view.rows.extent;
    double stored;
    std::memcpy(&stored, view.origin + (b * view.bands.stride + y * view.rows.stride + x * view.columns.stride) * 8, 8);
    found = fmt::format("{}", stored);
  }
  std::string place =
      fmt::format("row {}, column {}", at / view.columns.extent % view.rows.extent, at % view.columns.extent);
  if (view.bands.extent > 1) place += fmt::format(", band {}", at / view.columns.extent / view.rows.extent);
  throw InputError(selection.source, field_of(selection), "finite 32-bit floats",
                   fmt::format("{} of {} values that are not, the first ({}) at {}", count, total, found, place));
}

void warn_if_large(double largest, Meaning meaning, const Selection& selection) {
  // A measurement sums its bands; a cube and a mask stay near 1.
  if (largest <= (meaning == Meaning::measurement ? 64 : 2)) return;
  const char* cause = "is the data scaled to [0,1]?";
  if (largest < 32) {
    // Too dark for a picture in 8 bits: a bright scene, or another unit.
  } else if (largest <= 255) {
    cause = "this looks like 8-bit data stored as floats: divide it by 255";
  } else if (largest <= 1023) {
    cause = "this looks like 10-bit data stored as floats: divide it by 1023";
  } else if (largest <= 4095) {
    cause = "this looks like 12-bit data stored as floats: divide it by 4095";
  } else if (largest <= 65535) {
    cause = "this looks like 16-bit data stored as floats: divide it by 65535";
  }
  log_warning(fmt::format("{}: {}: values up to {:.6g} where about 1 is expected; {}", selection.source,
                          field_of(selection), largest, cause));
}

/// Copies integers; see to_cube for the rules.
void fill_from_integers(const View& view, const StoredArray& array, Meaning meaning, const Selection& selection,
                        float* out) {
  const std::string type = element_name(array.type);
  const double range = largest_integer(array.type);
  const bool wide = element_size(array.type) > 2;
  const bool as_they_are = array.logical || (wide && !array.scale);
  const double scale = as_they_are ? 1 : array.scale.value_or(1);
  if (!(std::isfinite(scale) && scale > 0)) {
    throw InputError(selection.source, "scale of " + field_of(selection), "a positive number",
                     fmt::format("{}", scale));
  }
  const double denominator = as_they_are ? 1 : range;
  const Statistics statistics = copy_scaled(view, scale, denominator, out);
  if (statistics.not_finite > 0) refuse_not_finite(view, out, statistics.not_finite, selection);
  const bool zeros_and_ones = statistics.smallest >= 0 && statistics.largest <= 1;
  if (statistics.smallest < 0) {
    throw InputError(selection.source, field_of(selection), "no negative integers (store floats instead)",
                     fmt::format("{} values down to {:.0f}", type, statistics.smallest));
  }
  if (as_they_are) {
    if (zeros_and_ones) return;
    throw InputError(selection.source, field_of(selection),
                     array.logical ? "logical values 0 and 1"
                                   : "integers of 8 or 16 bits, or zeros and ones (divide by the full scale "
                                     "and store floats)",
                     fmt::format("{} values up to {:.0f}", type, statistics.largest));
  }
  if (zeros_and_ones && !array.scale && statistics.largest == 1) {
    if (meaning == Meaning::mask) {
      copy_scaled(view, 1, 1, out);
      log_info(fmt::format("{}: {} zeros and ones taken as they are", selection.source, type));
      return;
    }
    log_warning(fmt::format("{}: {}: {} data is scaled by 1/{:.0f}, but no value exceeds 1", selection.source,
                            field_of(selection), type, range));
    return;
  }
  if (array.scale && *array.scale != 1) {
    log_info(fmt::format("{}: {} scaled by {:.9g}/{:.0f}, the scale stored in the file", selection.source, type, scale,
                         range));
  } else {
    log_info(fmt::format("{}: {} scaled to [0,1] by 1/{:.0f}", selection.source, type, range));
  }
}

}  // namespace

std::string field_of(const Selection& selection) {
  return selection.name.empty() ? "values" : fmt::format("'{}'", selection.name);
}

void fill_values(const View& view, const StoredArray& array, Meaning meaning, const Selection& selection, float* out) {
  if (meaning == Meaning::counts) {
    const Statistics statistics = copy_scaled(view, 1, 1, out);
    if (statistics.not_finite > 0) refuse_not_finite(view, out, statistics.not_finite, selection);
    return;
  }
  if (is_integer(array.type)) {
    fill_from_integers(view, array, meaning, selection, out);
    return;
  }
  const Statistics statistics = copy_scaled(view, 1, 1, out);
  if (statistics.not_finite > 0) refuse_not_finite(view, out, statistics.not_finite, selection);
  warn_if_large(statistics.largest, meaning, selection);
}

}  // namespace snapcube::io
