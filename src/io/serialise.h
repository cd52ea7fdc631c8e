#pragma once
// From our floats, [bands][height][width], to the elements of a file in another order and type.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/format.h"

namespace snapcube {

enum class ElementOrder {
  bands_rows_columns,  ///< ours
  rows_columns_bands,  ///< NumPy's custom for cubes: the bands of a pixel side by side
  columns_first,       ///< MATLAB's height × width × bands: the rows of a column side by side
};

struct Serialised {
  std::vector<std::byte> bytes;
  ElementType type;
  double scale = 1;  ///< what the largest integer stands for
};

/// automatic becomes f32. Integers are made by quantise().
Serialised serialise(const SaveRequest& request, ElementOrder order);

/// height × width (× bands).
std::vector<std::int64_t> shape_with_bands_last(const SaveRequest& request);

}  // namespace snapcube
