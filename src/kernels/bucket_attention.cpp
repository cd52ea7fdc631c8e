#include "kernels/bucket_attention.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/bucket_attention.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/bucket-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// Weights below e⁻⁶⁴ of the largest count for nothing, but smaller ones would make products that are no normal
/// numbers, and those are slow.
constexpr float kLowest = -64.0f;

/// to[j][i] = Σ_c keys[c][j] · queries[c][i]
template <int kRows>
HWY_NOINLINE void logits(const float* keys, const float* queries, int depth, std::size_t columns, float* to) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < columns; i += 2 * lanes) {
    Tile<kRows, 2> tile;
    tile.clear();
    tile.template add<1>(keys, kGroup, queries + i, kGroup, depth);
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      hn::StoreU(tile.sum[r][0], d, to + r * kGroup + i);
      hn::StoreU(tile.sum[r][1], d, to + r * kGroup + i + lanes);
    });
  }
}

/// to[c][i] += Σ_j values[c][j] · weights[j][i], values and weights in groups of keys.
template <int kRows>
HWY_NOINLINE void weighted(const float* values, std::size_t group_step, const float* weights, std::size_t keys,
                           std::size_t columns, float* to) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < columns; i += 2 * lanes) {
    Tile<kRows, 2> tile;
    tile.clear();
    for (std::size_t j = 0; j < keys; j += kGroup) {
      const std::size_t count = HWY_MIN(kGroup, keys - j);
      tile.template add<kGroup>(values + j / kGroup * group_step, 1, weights + j * kGroup + i, kGroup,
                                static_cast<int>(count));
    }
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      hn::StoreU(tile.sum[r][0], d, to + r * kGroup + i);
      hn::StoreU(tile.sum[r][1], d, to + r * kGroup + i + lanes);
    });
  }
}

/// logits[j][i] ← e^(logits[j][i] − top[i]) with top[i] = max over j; sum[i] over j.
HWY_INLINE void exponentials(float* rows, std::size_t keys, std::size_t columns, float* top, float* sum) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < columns; i += lanes) {
    V largest = hn::LoadU(d, rows + i);
    for (std::size_t j = 1; j < keys; ++j) largest = hn::Max(largest, hn::LoadU(d, rows + j * kGroup + i));
    V total = hn::Zero(d);
    for (std::size_t j = 0; j < keys; ++j) {
      float* at = rows + j * kGroup + i;
      const V e = exp_of(hn::Sub(hn::LoadU(d, at), largest), kLowest);
      total = hn::Add(total, e);
      hn::StoreU(e, d, at);
    }
    hn::StoreU(largest, d, top + i);
    hn::StoreU(total, d, sum + i);
  }
}

void Attend(const BucketAttention& a) {
  const std::size_t lanes = hn::Lanes(F());
  const std::size_t groups = (a.size + kGroup - 1) / kGroup;
  const auto depth = static_cast<std::size_t>(a.depth);
  const auto value_depth = static_cast<std::size_t>(a.value_depth);
  // Scratch: keys, values, queries, logits, products, maxima, sums, indices.
  float* keys = a.scratch;
  float* values = a.v == a.k ? keys : keys + groups * depth * kGroup;
  float* queries = keys + groups * (depth + value_depth) * kGroup;
  float* rows = queries + depth * kGroup;
  float* products = rows + groups * kGroup * kGroup;
  float* tops = products + value_depth * kGroup;
  float* sums = tops + kGroup;
  auto* index = reinterpret_cast<std::int32_t*>(sums + kGroup);
  for (std::size_t i = 0; i < groups * kGroup; ++i) {
    index[i] = static_cast<std::int32_t>(a.bucket[HWY_MIN(i, a.size - 1)]);
  }
  const auto padded = [&](std::size_t count) { return (count + 2 * lanes - 1) / (2 * lanes) * (2 * lanes); };
  for (std::size_t g = 0; g < groups; ++g) {
    const std::size_t count = padded(HWY_MIN(kGroup, a.size - g * kGroup));
    gather(a.k, a.pitch, a.depth, index + g * kGroup, count, keys + g * depth * kGroup);
    if (a.v != a.k) gather(a.v, a.pitch, a.value_depth, index + g * kGroup, count, values + g * value_depth * kGroup);
  }
  for (std::size_t first = 0; first < a.size; first += kGroup) {
    const std::size_t count = HWY_MIN(kGroup, a.size - first);
    const std::size_t columns = padded(count);
    gather(a.q, a.pitch, a.depth, index + first, columns, queries);
    for (std::size_t g = 0; g < groups; ++g) {
      const auto key_count = static_cast<int>(HWY_MIN(kGroup, a.size - g * kGroup));
      in_tiles(key_count, [&](auto n, int j) SNAPCUBE_LAMBDA {
        logits<n>(keys + g * depth * kGroup + j, queries, a.depth, columns, rows + (g * kGroup + j) * kGroup);
      });
    }
    exponentials(rows, a.size, columns, tops, sums);
    in_tiles(a.value_depth, [&](auto n, int c) SNAPCUBE_LAMBDA {
      weighted<n>(values + c * kGroup, value_depth * kGroup, rows, a.size, columns, products + c * kGroup);
    });
    for (std::size_t c = 0; c < value_depth; ++c) {
      for (std::size_t i = 0; i < count; ++i) a.product[c * a.product_pitch + first + i] = products[c * kGroup + i];
    }
    for (std::size_t i = 0; i < count; ++i) {
      a.top[first + i] = tops[i];
      a.sum[first + i] = sums[i];
    }
  }
}

void Mix(const RoundMixing& m) {
  const F d;
  const hn::RebindToSigned<F> di;
  const std::size_t lanes = hn::Lanes(d);
  if (m.count < lanes) return plain::mix_rounds(m);
  const auto rounds = static_cast<std::size_t>(m.rounds);
  const std::size_t round_step = static_cast<std::size_t>(m.channels) * m.pitch;
  const auto place = [&](std::size_t r, std::size_t t) SNAPCUBE_LAMBDA {
    return hn::LoadU(di, reinterpret_cast<const std::int32_t*>(m.places) + r * m.count + t);
  };
  const auto one_vector = [&](std::size_t t) SNAPCUBE_LAMBDA {
    V largest = hn::GatherIndex(d, m.tops, place(0, t));
    for (std::size_t r = 1; r < rounds; ++r) {
      largest = hn::Max(largest, hn::GatherIndex(d, m.tops + r * m.count, place(r, t)));
    }
    V total = hn::Zero(d);
    for (std::size_t r = 0; r < rounds; ++r) {
      const V w = exp_of(hn::Sub(hn::GatherIndex(d, m.tops + r * m.count, place(r, t)), largest), kLowest);
      total = hn::MulAdd(w, hn::GatherIndex(d, m.sums + r * m.count, place(r, t)), total);
      hn::StoreU(w, d, m.scratch + r * lanes);
    }
    const V scale = hn::Div(hn::Set(d, 1.0f), total);
    for (std::size_t c = 0; c < static_cast<std::size_t>(m.channels); ++c) {
      V y = hn::Zero(d);
      for (std::size_t r = 0; r < rounds; ++r) {
        const V product = hn::GatherIndex(d, m.products + r * round_step + c * m.pitch, place(r, t));
        y = hn::MulAdd(product, hn::LoadU(d, m.scratch + r * lanes), y);
      }
      hn::StoreU(hn::Mul(y, scale), d, m.out + c * m.pitch + t);
    }
  };
  std::size_t t = 0;
  for (; t + lanes <= m.count; t += lanes) one_vector(t);
  if (t < m.count) one_vector(m.count - lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Attend);
HWY_EXPORT(Mix);

std::size_t bucket_attention_scratch(std::size_t size, int depth, int value_depth) {
  constexpr std::size_t kGroup = 64;
  const std::size_t groups = (size + kGroup - 1) / kGroup;
  const auto channels = static_cast<std::size_t>(depth + value_depth);
  return (groups + 1) * channels * kGroup + groups * kGroup * kGroup + 2 * kGroup + groups * kGroup;
}
void bucket_attention(const BucketAttention& attention) {
  if (attention.size > 0) HWY_DYNAMIC_DISPATCH(Attend)(attention);
}
void mix_rounds(const RoundMixing& mixing) { HWY_DYNAMIC_DISPATCH(Mix)(mixing); }

}  // namespace snapcube::kernels
#endif
