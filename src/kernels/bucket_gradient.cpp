#include "kernels/bucket_gradient.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bucket_gradient.cpp"
#include <cstring>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/bucket-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

template <int kRows>
HWY_INLINE void store(const Tile<kRows, 2>& tile, float* to) {
  const F d;
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
    hn::StoreU(tile.sum[r][0], d, to + r * kGroup);
    hn::StoreU(tile.sum[r][1], d, to + r * kGroup + hn::Lanes(d));
  });
}

/// to[j][i] = Σ_c a[c][j] · b[c][i]
template <int kRows>
HWY_NOINLINE void products(const float* a, const float* b, int depth, std::size_t columns, float* to) {
  for (std::size_t i = 0; i < columns; i += 2 * hn::Lanes(F())) {
    Tile<kRows, 2> tile;
    tile.clear();
    tile.template add<1>(a, kGroup, b + i, kGroup, depth);
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
    tile.template add<kGroup>(a, 1, m + i, kGroup, count);
    if (b) tile.template add<kGroup>(b, 1, n + i, kGroup, count);
    store<kRows>(tile, to + i);
  }
}

/// to[i][j] = from[j][i] of [kGroup][kGroup], the first `columns` of either.
HWY_INLINE void transpose(const float* from, std::size_t columns, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t i = 0; i < columns; ++i) to[i * kGroup + j] = from[j * kGroup + i];
  }
#else
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN float buffer[4][hn::MaxLanes(d)];
  for (std::size_t j = 0; j < columns; j += 4) {
    for (std::size_t i = 0; i < columns; i += lanes) {
      const float* at = from + j * kGroup + i;
      const V a = hn::LoadU(d, at);
      const V b = hn::LoadU(d, at + kGroup);
      const V c = hn::LoadU(d, at + 2 * kGroup);
      const V e = hn::LoadU(d, at + 3 * kGroup);
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
          std::memcpy(to + (i + block + k) * kGroup + j, buffer[k] + block, 4 * sizeof(float));
        }
      }
    }
  }
#endif
}

/// A bucket is worked on whole, [channel][kGroup] and [token][kGroup]. Larger ones go the plain way.
void Backward(const BucketGradient& b) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  if (b.size > kGroup) return plain::bucket_gradient(b);
  const auto depth = static_cast<std::size_t>(b.depth);
  const auto size = static_cast<int>(b.size);
  float* q = b.scratch;
  float* k = q + depth * kGroup;
  float* g = k + depth * kGroup;
  float* result = g + depth * kGroup;
  float* weight = result + depth * kGroup;
  float* slope = weight + kGroup * kGroup;
  float* turned_weight = slope + kGroup * kGroup;
  float* turned_slope = turned_weight + kGroup * kGroup;
  float* total = turned_slope + kGroup * kGroup;
  float* along = total + kGroup;
  auto* index = reinterpret_cast<std::int32_t*>(along + kGroup);
  for (std::size_t i = 0; i < kGroup; ++i) {
    index[i] = static_cast<std::int32_t>(b.bucket[HWY_MIN(i, b.size - 1)]);
    total[i] = b.total[index[i]];
    along[i] = b.along[index[i]];
  }
  // Whole pairs of vectors, and whole blocks for the transposition; what is behind the bucket's end repeats a token.
  const std::size_t unit = HWY_MAX(2 * lanes, std::size_t{4});
  const std::size_t columns = (b.size + unit - 1) / unit * unit;
  gather(b.q, b.pitch, b.depth, index, columns, q);
  gather(b.k, b.pitch, b.depth, index, columns, k);
  gather(b.g, b.pitch, b.depth, index, columns, g);

  const auto all = static_cast<int>(columns);
  in_tiles(all, [&](auto n, int j) SNAPCUBE_LAMBDA {
    products<n>(k + j, q, b.depth, columns, weight + static_cast<std::size_t>(j) * kGroup);
  });
  in_tiles(all, [&](auto n, int j) SNAPCUBE_LAMBDA {
    products<n>(k + j, g, b.depth, columns, slope + static_cast<std::size_t>(j) * kGroup);
  });
  for (std::size_t i = 0; i < columns; i += lanes) {
    const V t = hn::LoadU(d, total + i);
    const V a = hn::LoadU(d, along + i);
    for (std::size_t j = 0; j < columns; ++j) {
      float* w = weight + j * kGroup + i;
      float* s = slope + j * kGroup + i;
      const V value = exp_of(hn::Sub(hn::LoadU(d, w), t));
      hn::StoreU(value, d, w);
      hn::StoreU(hn::Mul(value, hn::Sub(hn::LoadU(d, s), a)), d, s);
    }
  }
  transpose(weight, columns, turned_weight);
  transpose(slope, columns, turned_slope);

  const auto spread = [&](float* planes) SNAPCUBE_LAMBDA {
    for (std::size_t c = 0; c < depth; ++c) {
      for (std::size_t i = 0; i < b.size; ++i) planes[c * b.pitch + b.bucket[i]] += result[c * kGroup + i];
    }
  };
  in_tiles(b.depth, [&](auto n, int c) SNAPCUBE_LAMBDA {
    const auto row = static_cast<std::size_t>(c) * kGroup;
    weighted_sums<n>(k + row, slope, nullptr, nullptr, size, columns, result + row);
  });
  spread(b.dq);
  in_tiles(b.depth, [&](auto n, int c) SNAPCUBE_LAMBDA {
    const auto row = static_cast<std::size_t>(c) * kGroup;
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
  constexpr std::size_t kGroup = 64;
  if (size > kGroup) return 0;
  return 4 * static_cast<std::size_t>(depth) * kGroup + 4 * kGroup * kGroup + 3 * kGroup;
}
void bucket_gradient(const BucketGradient& gradient) {
  if (gradient.size > 0) HWY_DYNAMIC_DISPATCH(Backward)(gradient);
}

}  // namespace snapcube::kernels
#endif
