#pragma once
// What a MATLAB file of either version holds: the array and, beside it, `wavelengths` (1 × bands) and, for integers
// that reach beyond 1, `<variable>_scale`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/companions.h"
#include "io/serialise.h"

namespace snapcube::io {

/// writer.write(name, type, shape, bytes) for each of them.
template <typename Writer>
void write_variables(Writer& writer, const SaveRequest& request, const Serialised& elements) {
  const std::vector<std::int64_t> extents = shape_with_bands_last(request);
  writer.write(request.variable, elements.type, {extents.begin(), extents.end()}, elements.bytes);
  if (!request.wavelengths.empty()) {
    writer.write("wavelengths", ElementType::f64, {1, request.wavelengths.size()},
                 std::as_bytes(std::span(request.wavelengths)));
  }
  if (elements.scale != 1) {
    writer.write(scale_name(request.variable), ElementType::f64, {1, 1}, std::as_bytes(std::span(&elements.scale, 1)));
  }
}

}  // namespace snapcube::io
