#include "kernels/elementwise.h"
#include "kernels/row_product.h"

namespace snapcube::kernels {

void pack_weights(const float* weights, int outputs, int depth, int taps, float* packed) {
  const int tiles = (outputs + kTileRows - 1) / kTileRows;
  for (int tile = 0, first = 0; tile < tiles; ++tile) {
    const int rows = (outputs - first) / (tiles - tile);
    for (int t = 0; t < taps; ++t) {
      for (int k = 0; k < depth; ++k) {
        for (int r = 0; r < rows; ++r) {
          *packed++ = weights[(static_cast<std::size_t>(first + r) * static_cast<std::size_t>(depth) +
                               static_cast<std::size_t>(k)) *
                                  static_cast<std::size_t>(taps) +
                              static_cast<std::size_t>(t)];
        }
      }
    }
    first += rows;
  }
}

namespace plain {

void row_product(const RowProduct& p) {
  const int tiles = (p.outputs + kTileRows - 1) / kTileRows;
  const float* weights = p.weights;
  for (int tile = 0, first = 0; tile < tiles; ++tile) {
    const int rows = (p.outputs - first) / (tiles - tile);
    for (int r = 0; r < rows; ++r) {
      const auto o = static_cast<std::size_t>(first + r);
      for (std::size_t x = 0; x < p.pixels; ++x) {
        float sum = p.bias ? p.bias[o] : 0.0f;
        for (int t = 0; t < p.tap_count; ++t) {
          for (int k = 0; p.taps[t] && k < p.depth; ++k) {
            const float w = weights[(t * p.depth + k) * rows + r];
            sum += w * p.taps[t][static_cast<std::size_t>(k) * p.pitch + x];
          }
        }
        const float residual = p.residual ? p.residual[o * p.residual_pitch + x] : 0.0f;
        p.out[o * p.out_pitch + x] = activated(sum, p.activation) + residual;
      }
    }
    weights += rows * p.depth * p.tap_count;
    first += rows;
  }
}

}  // namespace plain
}  // namespace snapcube::kernels
