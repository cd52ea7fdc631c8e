#pragma once
// The product that nearly all of a network consists of: a small matrix of weights times a row of pixels.
//
// Rows of a feature map are planar: channel c of a row is contiguous over the pixels, channel c + 1 follows `pitch`
// floats later. So pixels fill the vectors, whatever the number of channels, and a tap of a convolution is nothing but
// a shifted pointer.

#include <cstddef>
#include <cstdint>

namespace snapcube::kernels {

enum class Activation : std::uint8_t { none, relu, leaky_relu, gelu };
/// Slope of the leaky ReLU below 0.
constexpr float kLeakySlope = 0.1f;

/// Packed weights are tiles of at most this many outputs: with two vectors of pixels they fill the registers.
constexpr int kTileRows = 14;
/// A convolution of 4×4.
constexpr int kMaxTaps = 16;

/// weights [outputs][depth][taps], as convolutions are stored, to [tile][tap][depth][outputs of the tile]; as many
/// floats.
void pack_weights(const float* weights, int outputs, int depth, int taps, float* packed);

/// out[o][p] = activation(bias[o] + Σ_t Σ_k w[o][k][t] · taps[t][k·pitch + p]) + residual[o][p],  p < pixels
struct RowProduct {
  const float* weights = nullptr;  ///< from pack_weights
  int outputs = 0;
  int depth = 0;
  const float* const* taps = nullptr;  ///< null among them: that tap lies outside the map, and counts 0
  int tap_count = 0;                   ///< at most kMaxTaps
  std::size_t pitch = 0;
  std::size_t pixels = 0;
  const float* bias = nullptr;  ///< null: 0
  Activation activation = Activation::none;
  const float* residual = nullptr;  ///< null: 0; may be `out`
  std::size_t residual_pitch = 0;
  float* out = nullptr;
  std::size_t out_pitch = 0;
  /// Pixels that will be read next, `depth` channels: fetched into the cache on the way. Null: none.
  const float* next = nullptr;
  std::size_t next_pitch = 0;
};
void row_product(const RowProduct& product);

namespace plain {
void row_product(const RowProduct& product);
}

}  // namespace snapcube::kernels
