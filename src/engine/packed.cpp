#include "engine/packed.h"

namespace snapcube::engine {

Packed pack(const float* weights, int outputs, int depth, int taps) {
  Packed packed;
  packed.outputs = outputs;
  packed.depth = depth;
  packed.taps = taps;
  packed.values.resize(static_cast<std::size_t>(outputs) * static_cast<std::size_t>(depth) *
                       static_cast<std::size_t>(taps));
  kernels::pack_weights(weights, outputs, depth, taps, packed.values.data());
  return packed;
}

Packed pack(const NamedTensor& tensor) {
  const auto extent = [&](std::size_t d) { return d < tensor.shape.size() ? static_cast<int>(tensor.shape[d]) : 1; };
  return pack(tensor.values.data(), extent(0), extent(1), extent(2) * extent(3));
}

}  // namespace snapcube::engine
