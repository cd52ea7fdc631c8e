#include "kernels/bucket_gradient.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bucket_gradient.cpp"
#include <cstring>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// A bucket is worked on whole, [channel][64] and [token][64]. Larger ones go the plain way.
constexpr std::size_t kSide = 64;

/// Columns bucket[…] of [depth][pitch] to [depth][kSide].
HWY_INLINE void collect(const float* from, std::size_t pitch, int depth, const std::int32_t* index, std::size_t columns,
                        float* to) {
  const F d;
  const hn::RebindToSigned<F> di;
  for (std::size_t i = 0; i < columns; i += hn::Lanes(d)) {
    const auto at = hn::LoadU(di, index + i);
    for (int c = 0; c < depth; ++c) {
      hn::StoreU(hn::GatherIndex(d, from + static_cast<std::size_t>(c) * pitch, at), d,
                 to + static_cast<std::size_t>(c) * kSide + i);
    }
  }
}

/// body(constant rows, first) over `count` rows in tiles as even as they get.
template <typename Body>
HWY_INLINE void tiled(int count, const Body& body) {
  const int parts = (count + kRegisterRows - 1) / kRegisterRows;
  for (int part = 0, first = 0; part < parts; ++part) {
    const int rows = (count - first) / (parts - part);
    unrolled<kRegisterRows>([&](auto r) SNAPCUBE_LAMBDA {
      if (rows == r + 1) body(std::integral_constant<int, r + 1>(), first);
    });
    first += rows;
  }
}

template <int kRows>
HWY_INLINE void store(const Tile<kRows, 2>& tile, float* to) {
  const F d;
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
    hn::StoreU(tile.sum[r][0], d, to + r * kSide);
    hn::StoreU(tile.sum[r][1], d, to + r * kSide + hn::Lanes(d));
  });
}

/// to[j][i] = Σ_c a[c][j] · b[c][i]
template <int kRows>
HWY_NOINLINE void products(const float* a, const float* b, int depth, std::size_t columns, float* to) {
  for (std::size_t i = 0; i < columns; i += 2 * hn::Lanes(F())) {
    Tile<kRows, 2> tile;
    tile.clear();
    tile.template add<1>(a, kSide, b + i, kSide, depth);
    store<kRows>(tile, to + i);
  }
}

/// to[c][i] = Σ_j a[c][j] · m[j][i] (+ Σ_j b[c][j] · n[j][i])
template <int kRows>
HWY_NOINLINE void weighted_sums(const float* a, const float* m, const float* b, const float* n, int count,
                                std::size_t columns, float* to) {
  for (std::size_t i = 0; i < columns; i += 2 * hn::Lanes(F())) {
    Tile<kRows, 2> tile;
    tile.clear();
    tile.template add<kSide>(a, 1, m + i, kSide, count);
    if (b) tile.template add<kSide>(b, 1, n + i, kSide, count);
    store<kRows>(tile, to + i);
  }
}

/// to[i][j] = from[j][i] of [kSide][kSide], the first `columns` of either.
HWY_INLINE void transpose(const float* from, std::size_t columns, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < columns; ++i) to[i * kSide + j] = from[j * kSide + i];
  }
#else
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN float buffer[4][hn::MaxLanes(d)];
  for (std::size_t j = 0; j < columns; j += 4) {
    for (std::size_t i = 0; i < columns; i += lanes) {
      const float* at = from + j * kSide + i;
      const V a = hn::LoadU(d, at);
      const V b = hn::LoadU(d, at + kSide);
      const V c = hn::LoadU(d, at + 2 * kSide);
      const V e = hn::LoadU(d, at + 3 * kSide);
      // Within a block of four lanes: a 4×4 transposition.
      const V ac = hn::InterleaveLower(d, a, c);
      const V be = hn::InterleaveLower(d, b, e);
      const V ac2 = hn::InterleaveUpper(d, a, c);
      const V be2 = hn::InterleaveUpper(d, b, e);
      hn::Store(hn::InterleaveLower(d, ac, be), d, buffer[0]);
      hn::Store(hn::InterleaveUpper(d, ac, be), d, buffer[1]);
      hn::Store(hn::InterleaveLower(d, ac2, be2), d, buffer[2]);
      hn::Store(hn::InterleaveUpper(d, ac2, be2), d, buffer[3]);
      for (std::size_t block = 0; block < lanes; block += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
          std::memcpy(to + (i + block + k) * kSide + j, buffer[k] + block, 4 * sizeof(float));
        }
      }
    }
  }
#endif
}

void Backward(const BucketGradient& b) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  if (b.size > kSide) return plain::bucket_gradient(b);
  const auto depth = static_cast<std::size_t>(b.depth);
  const auto size = static_cast<int>(b.size);
  float* q = b.scratch;
  float* k = q + depth * kSide;
  float* g = k + depth * kSide;
  float* result = g + depth * kSide;
  float* weight = result + depth * kSide;
  float* slope = weight + kSide * kSide;
  float* turned_weight = slope + kSide * kSide;
  float* turned_slope = turned_weight + kSide * kSide;
  float* total = turned_slope + kSide * kSide;
  float* along = total + kSide;
  auto* index = reinterpret_cast<std::int32_t*>(along + kSide);
  for (std::size_t i = 0; i < kSide; ++i) {
    index[i] = static_cast<std::int32_t>(b.bucket[HWY_MIN(i, b.size - 1)]);
    total[i] = b.total[index[i]];
    along[i] = b.along[index[i]];
  }
  // Whole pairs of vectors, and whole blocks for the transposition; what is behind the bucket's end repeats a token.
  const std::size_t unit = HWY_MAX(2 * lanes, std::size_t{4});
  const std::size_t columns = (b.size + unit - 1) / unit * unit;
  collect(b.q, b.pitch, b.depth, index, columns, q);
  collect(b.k, b.pitch, b.depth, index, columns, k);
  collect(b.g, b.pitch, b.depth, index, columns, g);

  const auto all = static_cast<int>(columns);
  tiled(all, [&](auto n, int j) SNAPCUBE_LAMBDA {
    products<n>(k + j, q, b.depth, columns, weight + static_cast<std::size_t>(j) * kSide);
  });
  tiled(all, [&](auto n, int j) SNAPCUBE_LAMBDA {
    products<n>(k + j, g, b.depth, columns, slope + static_cast<std::size_t>(j) * kSide);
  });
  for (std::size_t i = 0; i < columns; i += lanes) {
    const V t = hn::LoadU(d, total + i);
    const V a = hn::LoadU(d, along + i);
    for (std::size_t j = 0; j < columns; ++j) {
      float* w = weight + j * kSide + i;
      float* s = slope + j * kSide + i;
      const V value = exp_of(hn::Sub(hn::LoadU(d, w), t));
      hn::StoreU(value, d, w);
      hn::StoreU(hn::Mul(value, hn::Sub(hn::LoadU(d, s), a)), d, s);
    }
  }
  transpose(weight, columns, turned_weight);
  transpose(slope, columns, turned_slope);

  const auto spread = [&](float* planes) SNAPCUBE_LAMBDA {
    for (std::size_t c = 0; c < depth; ++c) {
      for (std::size_t i = 0; i < b.size; ++i) planes[c * b.pitch + b.bucket[i]] += result[c * kSide + i];
    }
  };
  tiled(b.depth, [&](auto n, int c) SNAPCUBE_LAMBDA {
    const auto row = static_cast<std::size_t>(c) * kSide;
    weighted_sums<n>(k + row, slope, nullptr, nullptr, size, columns, result + row);
  });
  spread(b.dq);
  tiled(b.depth, [&](auto n, int c) SNAPCUBE_LAMBDA {
    const auto row = static_cast<std::size_t>(c) * kSide;
    weighted_sums<n>(q + row, turned_slope, g + row, turned_weight, size, columns, result + row);
  });
  spread(b.dk);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Backward);

std::size_t bucket_gradient_scratch(std::size_t size, int depth) {
  constexpr std::size_t kSide = 64;
  if (size > kSide) return 0;
  return 4 * static_cast<std::size_t>(depth) * kSide + 4 * kSide * kSide + 3 * kSide;
}
void bucket_gradient(const BucketGradient& gradient) {
  if (gradient.size > 0) HWY_DYNAMIC_DISPATCH(Backward)(gradient);
}

}  // namespace snapcube::kernels
#endif
