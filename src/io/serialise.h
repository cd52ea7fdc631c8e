#pragma once
// From our floats, [bands][height][width], to the elements of a file in another order and type.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/format.h"

namespace snapcube::io {

enum class ElementOrder {
  bands_rows_columns,  ///< ours; ENVI's bsq
  rows_bands_columns,  ///< ENVI's bil
  rows_columns_bands,  ///< the bands of a pixel side by side: NumPy's custom for cubes, ENVI's bip
  columns_first,       ///< MATLAB's height × width × bands: the rows of a column side by side
};

struct Serialised {
  std::vector<std::byte> bytes;  ///< in native byte order
  ElementType type;
  double scale = 1;  ///< what the largest integer stands for: max(1, largest value); 1 for floats
};

/// automatic becomes f32. Integers are round(v/scale · largest integer); negative values become 0, with a warning that
/// counts them.
Serialised serialise(const SaveRequest& request, ElementOrder order);

/// height × width (× bands).
std::vector<std::int64_t> shape_with_bands_last(const SaveRequest& request);

}  // namespace snapcube::io
