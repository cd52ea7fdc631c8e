#pragma once
// The numbers of an array as floats: scaled, checked, and in our order.

#include <cstddef>
#include <cstdint>
#include <string>

#include "io/convert.h"
#include "io/format.h"

namespace snapcube::io {

struct Axis {
  std::int64_t extent;
  std::int64_t stride;  ///< in elements
};

/// Bands, rows and columns of an array, wherever they lie in it.
struct View {
  const std::byte* origin;
  ElementType type;
  Axis bands, rows, columns;
};

/// Writes out[b][y][x] for every element of the view, by the rules of to_cube. Throws InputError.
void fill_values(const View& view, const StoredArray& array, Meaning meaning, const Selection& selection, float* out);

/// How messages name the selected array.
std::string field_of(const Selection& selection);

}  // namespace snapcube::io
