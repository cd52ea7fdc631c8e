#include "kernels/row_product.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/row_product.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// Where a tile goes: kRows outputs from `row` on, pixels from `at` on. `left` < lanes: only that many of the last
/// pixels are new.
struct Place {
  int row;
  std::size_t at;
  std::size_t left;
};

template <int kRows, int kVectors, Activation kActivation>
HWY_INLINE void finish(const RowProduct& p, Tile<kRows, kVectors>& tile, const Place& place) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t out_pitch = p.out_pitch;
  const std::size_t residual_pitch = p.residual_pitch;
  const auto first = static_cast<std::size_t>(place.row);
  float* out = p.out + first * out_pitch + place.at;
  const float* residual = p.residual ? p.residual + first * residual_pitch + place.at : nullptr;
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
    unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA {
      V y = activated<kActivation>(tile.sum[r][v]);
      if (residual) y = hn::Add(y, hn::LoadU(d, residual + r * residual_pitch + v * lanes));
      float* to = out + r * out_pitch + v * lanes;
      if (kVectors == 1 && place.left < lanes) {
        store_last(y, place.left, to);
      } else {
        hn::StoreU(y, d, to);
      }
    });
  });
}

template <int kRows, int kVectors>
HWY_NOINLINE void compute(const RowProduct& p, const float* weights, int tile_rows, const Place& place) {
  Tile<kRows, kVectors> tile;
  if (p.bias) {
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      const V bias = hn::Set(F(), p.bias[place.row + r]);
      unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { tile.sum[r][v] = bias; });
    });
  } else {
    tile.clear();
  }
  const std::size_t tap_weights = static_cast<std::size_t>(p.depth) * static_cast<std::size_t>(tile_rows);
  for (int t = 0; t < p.tap_count; ++t, weights += tap_weights) {
    if (p.taps[t]) {
      tile.template add<1>(weights, static_cast<std::size_t>(tile_rows), p.taps[t] + place.at, p.pitch, p.depth);
    }
  }
  if (p.activation == Activation::gelu) {
    // Its constants and steps need registers too: the sums wait in memory, and it is a short loop.
    V sums[kRows * kVectors];
    unrolled<kRows * kVectors>([&](auto i) SNAPCUBE_LAMBDA { sums[i] = tile.sum[i / kVectors][i % kVectors]; });
    for (V& sum : sums) sum = gelu_of(sum);
    unrolled<kRows * kVectors>([&](auto i) SNAPCUBE_LAMBDA { tile.sum[i / kVectors][i % kVectors] = sums[i]; });
  }
  switch (p.activation) {
    case Activation::relu:
      return finish<kRows, kVectors, Activation::relu>(p, tile, place);
    case Activation::leaky_relu:
      return finish<kRows, kVectors, Activation::leaky_relu>(p, tile, place);
    default:
      return finish<kRows, kVectors, Activation::none>(p, tile, place);
  }
}

template <int kVectors>
HWY_INLINE void compute_rows(const RowProduct& p, int rows, const float* weights, int tile_rows, const Place& place) {
  unrolled<kRegisterRows>([&](auto r) SNAPCUBE_LAMBDA {
    if (rows == r + 1) compute<r + 1, kVectors>(p, weights, tile_rows, place);
  });
}

/// Asks for channels [first, last) of what the next product will read, as many pixels as kVectors hold. Spread over the
/// tiles: more requests at once than a core has buffers for would hold it up.
template <int kVectors>
HWY_INLINE void fetch_next(const RowProduct& p, std::size_t at, int first, int last) {
  constexpr std::size_t kLine = 64 / sizeof(float);
  for (int k = first; k < last; ++k) {
    const float* pixels = p.next + static_cast<std::size_t>(k) * p.next_pitch + at;
    for (std::size_t i = 0; i < kVectors * hn::Lanes(F()); i += kLine) hwy::Prefetch(pixels + i);
  }
}

template <int kVectors>
HWY_INLINE void all_rows(const RowProduct& p, std::size_t at, std::size_t left) {
  const int tiles = (p.outputs + kTileRows - 1) / kTileRows;
  const float* weights = p.weights;
  int row = 0;
  for (int t = 0; t < tiles; ++t) {
    const int tile_rows = (p.outputs - row) / (tiles - t);
    if (p.next) fetch_next<kVectors>(p, at, p.depth * t / tiles, p.depth * (t + 1) / tiles);
    const int parts = (tile_rows + kRegisterRows - 1) / kRegisterRows;
    for (int part = 0, done = 0; part < parts; ++part) {
      const int rows = (tile_rows - done) / (parts - part);
      compute_rows<kVectors>(p, rows, weights + done, tile_rows, {row + done, at, left});
      done += rows;
    }
    weights += static_cast<std::size_t>(tile_rows) * static_cast<std::size_t>(p.depth * p.tap_count);
    row += tile_rows;
  }
}

void Product(const RowProduct& p) {
  const std::size_t lanes = hn::Lanes(F());
  if (p.pixels < lanes) return plain::row_product(p);
  std::size_t at = 0;
  for (; at + 2 * lanes <= p.pixels; at += 2 * lanes) all_rows<2>(p, at, lanes);
  if (at + lanes <= p.pixels) {
    all_rows<1>(p, at, lanes);
    at += lanes;
  }
  if (at < p.pixels) all_rows<1>(p, p.pixels - lanes, p.pixels - at);
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
