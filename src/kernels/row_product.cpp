#include "kernels/row_product.h"

#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_product.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// A block of the result: the tile's outputs from `row` on, `count` tiles side by side from pixel `at` on. `left` <
/// lanes: only that many of the last pixels are new.
struct Block {
  const float* weights;
  int tile_rows;  ///< of the packed tile, in which the outputs stand side by side
  int row;
  std::size_t at;
  std::size_t count;
  std::size_t left;
};

/// Where the sums of a tile go.
struct Target {
  float* out;
  std::size_t pitch;
  const float* residual;
  std::size_t residual_pitch;
  std::size_t left;
};

template <int kVectors>
HWY_INLINE void put(V y, const Target& to, std::size_t r, std::size_t v) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  if (to.residual) y = hn::Add(y, hn::LoadU(d, to.residual + r * to.residual_pitch + v * lanes));
  float* at = to.out + r * to.pitch + v * lanes;
  if (kVectors == 1 && to.left < lanes) {
    store_last(y, to.left, at);
  } else {
    hn::StoreU(y, d, at);
  }
}

template <int kRows, int kVectors, Activation kActivation>
HWY_INLINE void finish(const Tile<kRows, kVectors>& tile, const Target& to) {
  if constexpr (kActivation == Activation::gelu) {
    // Its constants and steps need registers too: the sums wait in memory, and it is a short loop.
    V sums[kRows][kVectors];
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { sums[r][v] = tile.sum[r][v]; });
    });
    for (std::size_t r = 0; r < kRows; ++r) {
      unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { put<kVectors>(gelu_of(sums[r][v]), to, r, v); });
    }
  } else {
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      unrolled<kVectors>([&](auto v)
                             SNAPCUBE_LAMBDA { put<kVectors>(activated<kActivation>(tile.sum[r][v]), to, r, v); });
    });
  }
}

template <int kRows, int kVectors>
HWY_NOINLINE void compute(const RowProduct& p, const Block& block) {
  const int depth = p.depth;
  const auto tile_rows = static_cast<std::size_t>(block.tile_rows);
  const std::size_t tap_weights = static_cast<std::size_t>(depth) * tile_rows;
  const auto row = static_cast<std::size_t>(block.row);
  std::size_t at = block.at;
  Target to{p.out + row * p.out_pitch + at, p.out_pitch,
            p.residual ? p.residual + row * p.residual_pitch + at : nullptr, p.residual_pitch, block.left};
  const std::size_t step = kVectors * hn::Lanes(F());
  for (std::size_t i = 0; i < block.count; ++i) {
    Tile<kRows, kVectors> tile;
    if (p.bias) {
      unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
        const V bias = hn::Set(F(), p.bias[row + r]);
        unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { tile.sum[r][v] = bias; });
      });
    } else {
      tile.clear();
    }
    const float* weights = block.weights;
    for (int t = 0; t < p.tap_count; ++t, weights += tap_weights) {
      if (p.taps[t]) tile.template add<1>(weights, tile_rows, p.taps[t] + at, p.pitch, depth);
    }
    with_activation(p.activation,
                    [&](auto activation) SNAPCUBE_LAMBDA { finish<kRows, kVectors, activation>(tile, to); });
    at += step;
    to.out += step;
    if (to.residual) to.residual += step;
  }
}

using Compute = void(const RowProduct&, const Block&);

/// compute<1>, compute<2>, …
template <int kVectors, int... i>
constexpr std::array<Compute*, kRegisterRows> all_computes(std::integer_sequence<int, i...>) {
  return {compute<i + 1, kVectors>...};
}

/// Asks for channels [first, last) of what will be read next, as many pixels as the block has. Spread over the tiles:
/// more requests at once than a core has buffers for would hold it up.
HWY_INLINE void fetch_next(const RowProduct& p, std::size_t at, std::size_t pixels, int first, int last) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (int k = first; k < last; ++k) {
    const float* from = p.next + static_cast<std::size_t>(k) * p.next_pitch + at;
    for (std::size_t i = 0; i < pixels; i += kLine) hwy::Prefetch(from + i);
  }
}

/// All outputs of `count` tiles of pixels side by side.
template <int kVectors>
HWY_INLINE void all_rows(const RowProduct& p, std::size_t at, std::size_t count, std::size_t left) {
  static constexpr auto kComputes = all_computes<kVectors>(std::make_integer_sequence<int, kRegisterRows>());
  const int tiles = (p.outputs + kTileRows - 1) / kTileRows;
  const float* weights = p.weights;
  int row = 0;
  for (int t = 0; t < tiles; ++t) {
    const int tile_rows = (p.outputs - row) / (tiles - t);
    if (p.next) {
      fetch_next(p, at, count * kVectors * hn::Lanes(F()), p.depth * t / tiles, p.depth * (t + 1) / tiles);
    }
    const int parts = (tile_rows + kRegisterRows - 1) / kRegisterRows;
    for (int part = 0, done = 0; part < parts; ++part) {
      const int rows = (tile_rows - done) / (parts - part);
      kComputes[static_cast<std::size_t>(rows - 1)](p, {weights + done, tile_rows, row + done, at, count, left});
      done += rows;
    }
    weights += static_cast<std::size_t>(tile_rows) * static_cast<std::size_t>(p.depth * p.tap_count);
    row += tile_rows;
  }
}

void Product(const RowProduct& p) {
  const std::size_t lanes = hn::Lanes(F());
  if (p.pixels < lanes) return plain::row_product(p);
  // As many pixels go through all outputs together as keep their inputs in the L1 cache.
  constexpr std::size_t kInputFloats = (std::size_t{24} << 10) / sizeof(float);
  const auto rows = static_cast<std::size_t>(p.tap_count <= 1 ? 1 : 3) * static_cast<std::size_t>(p.depth);
  const std::size_t most = HWY_MAX(std::size_t{1}, kInputFloats / (rows * 2 * lanes));
  const std::size_t pairs = p.pixels / (2 * lanes);
  for (std::size_t done = 0; done < pairs; done += most) {
    all_rows<2>(p, done * 2 * lanes, HWY_MIN(most, pairs - done), lanes);
  }
  std::size_t at = pairs * 2 * lanes;
  if (at + lanes <= p.pixels) {
    all_rows<1>(p, at, 1, lanes);
    at += lanes;
  }
  if (at < p.pixels) all_rows<1>(p, p.pixels - lanes, 1, p.pixels - at);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Product);
void row_product(const RowProduct& product) { HWY_DYNAMIC_DISPATCH(Product)(product); }

}  // namespace snapcube::kernels
#endif
