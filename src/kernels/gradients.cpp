#include "kernels/gradients.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gradients.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/elementwise.h"
#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// A vector of the first `count` elements, the rest 0.
HWY_INLINE V load_first(const float* from, std::size_t count) {
  const F d;
  HWY_ALIGN float buffer[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = from[i];
  return hn::Load(d, buffer);
}

// A tile of sums over pixels in registers: kAcross channels of b, which a block of four lanes holds at the end.
constexpr int kAcross = 4;
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM
constexpr int kDown = 6;  // of 32 registers
#else
constexpr int kDown = 2;  // of 16
#endif

/// to[n] += sum of the lanes of v[n].
HWY_INLINE void add_sums(const V (&v)[kAcross], int count, float* to) {
#if HWY_TARGET == HWY_SCALAR
  for (int n = 0; n < count; ++n) to[n] += hn::GetLane(v[n]);
#else
  const F d;
  // Four vectors to one whose blocks of four lanes hold a part of each sum.
  const V a = hn::Add(hn::InterleaveLower(d, v[0], v[2]), hn::InterleaveUpper(d, v[0], v[2]));
  const V b = hn::Add(hn::InterleaveLower(d, v[1], v[3]), hn::InterleaveUpper(d, v[1], v[3]));
  const V s = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  HWY_ALIGN float buffer[hn::MaxLanes(d)];
  hn::Store(s, d, buffer);
  for (int n = 0; n < count; ++n) {
    float sum = 0;
    for (std::size_t block = 0; block < hn::Lanes(d); block += 4) sum += buffer[block + static_cast<std::size_t>(n)];
    to[n] += sum;
  }
#endif
}

template <int kRows>
HWY_NOINLINE void outer_tile(const OuterProduct& o, int m, int n, int count) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  V sum[kRows][kAcross];
  unrolled<kRows>([&](auto i)
                      SNAPCUBE_LAMBDA { unrolled<kAcross>([&](auto j) SNAPCUBE_LAMBDA { sum[i][j] = hn::Zero(d); }); });
  const std::size_t a_pitch = o.a_pitch;
  // A tile at the edge reads its last channel again; what comes of it is not stored.
  std::size_t across[kAcross];
  for (int j = 0; j < kAcross; ++j) across[j] = static_cast<std::size_t>(HWY_MIN(n + j, o.b_channels - 1)) * o.b_pitch;
  for (int r = 0; r < o.rows; ++r) {
    const float* a = o.a + static_cast<std::size_t>(r) * o.a_row_step + static_cast<std::size_t>(m) * a_pitch;
    const float* b = o.b + static_cast<std::size_t>(r) * o.b_row_step;
    std::size_t p = 0;
    for (; p + lanes <= o.pixels; p += lanes) {
      V y[kAcross];
      unrolled<kAcross>([&](auto j) SNAPCUBE_LAMBDA { y[j] = hn::LoadU(d, b + across[j] + p); });
      unrolled<kRows>([&](auto i) SNAPCUBE_LAMBDA {
        const V x = hn::LoadU(d, a + i * a_pitch + p);
        unrolled<kAcross>([&](auto j) SNAPCUBE_LAMBDA { sum[i][j] = hn::MulAdd(x, y[j], sum[i][j]); });
      });
    }
    if (p < o.pixels) {
      const std::size_t left = o.pixels - p;
      V y[kAcross];
      unrolled<kAcross>([&](auto j) SNAPCUBE_LAMBDA { y[j] = load_first(b + across[j] + p, left); });
      unrolled<kRows>([&](auto i) SNAPCUBE_LAMBDA {
        const V x = load_first(a + i * a_pitch + p, left);
        unrolled<kAcross>([&](auto j) SNAPCUBE_LAMBDA { sum[i][j] = hn::MulAdd(x, y[j], sum[i][j]); });
      });
    }
  }
  unrolled<kRows>([&](auto i) SNAPCUBE_LAMBDA { add_sums(sum[i], count, o.out + (m + i) * o.b_channels + n); });
}

void Outer(const OuterProduct& o) {
  // The channels of a stay in the nearest cache while those of b pass by.
  for (int m = 0; m < o.a_channels;) {
    const int rows = HWY_MIN(kDown, o.a_channels - m);
    for (int n = 0; n < o.b_channels; n += kAcross) {
      const int count = HWY_MIN(kAcross, o.b_channels - n);
      unrolled<kDown>([&](auto i) SNAPCUBE_LAMBDA {
        if (rows == i + 1) outer_tile<i + 1>(o, m, n, count);
      });
    }
    m += rows;
  }
}

HWY_INLINE void gelu_both(V x, V& value, V& slope) {
  const F d;
  const V a = hn::Min(hn::Abs(x), hn::Set(d, 5.5f));
  const V tail = normal_tail(a);
  const V below = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0f), tail));  // Φ(x)
  const V density = hn::Mul(hn::Set(d, 0.39894228f), exp_of(hn::Mul(hn::Set(d, -0.5f), hn::Mul(x, x))));
  value = hn::NegMulAdd(a, tail, hn::Max(x, hn::Zero(d)));
  slope = hn::MulAdd(x, density, below);
}

void GeluAndSlope(const float* x, std::size_t n, float* value, float* slope) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  V v;
  V s;
  for (; i + lanes <= n; i += lanes) {
    gelu_both(hn::LoadU(d, x + i), v, s);
    hn::StoreU(v, d, value + i);
    hn::StoreU(s, d, slope + i);
  }
  if (i == n) return;
  gelu_both(load_first(x + i, n - i), v, s);
  HWY_ALIGN float buffer[2][hn::MaxLanes(d)];
  hn::Store(v, d, buffer[0]);
  hn::Store(s, d, buffer[1]);
  for (std::size_t k = i; k < n; ++k) {
    value[k] = buffer[0][k - i];
    slope[k] = buffer[1][k - i];
  }
}

void LeakyAndSlope(const float* x, std::size_t n, float* value, float* slope) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const V below = hn::Set(d, kLeakySlope);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V v = hn::LoadU(d, x + i);
    const V s = hn::IfThenElse(hn::Gt(v, hn::Zero(d)), hn::Set(d, 1.0f), below);
    hn::StoreU(hn::Mul(v, s), d, value + i);
    hn::StoreU(s, d, slope + i);
  }
  plain::leaky_and_slope(x + i, n - i, value + i, slope + i);
}

void Multiply(float* x, const float* y, std::size_t n) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, x + i), hn::LoadU(d, y + i)), d, x + i);
  plain::multiply(x + i, y + i, n - i);
}

void DepthwiseWeights(const DepthwiseGradient& g) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (int c = 0; c < g.channels; ++c) {
    const std::size_t plane = static_cast<std::size_t>(c) * g.pitch;
    V sum[9];
    unrolled<9>([&](auto i) SNAPCUBE_LAMBDA { sum[i] = hn::Zero(d); });
    for (int r = 0; r < g.out_rows; ++r) {
      const float* gradient = g.gradient + static_cast<std::size_t>(r) * g.row_step + plane;
      const float* rows[3] = {g.rows[r] + plane - 1, g.rows[r + 1] + plane - 1, g.rows[r + 2] + plane - 1};
      std::size_t p = 0;
      for (; p + lanes <= g.pixels; p += lanes) {
        const V y = hn::LoadU(d, gradient + p);
        unrolled<9>([&](auto i)
                        SNAPCUBE_LAMBDA { sum[i] = hn::MulAdd(y, hn::LoadU(d, rows[i / 3] + p + i % 3), sum[i]); });
      }
      if (p < g.pixels) {
        const V y = load_first(gradient + p, g.pixels - p);
        unrolled<9>([&](auto i) SNAPCUBE_LAMBDA {
          sum[i] = hn::MulAdd(y, load_first(rows[i / 3] + p + i % 3, g.pixels - p), sum[i]);
        });
      }
    }
    unrolled<9>([&](auto i) SNAPCUBE_LAMBDA { g.out[c * 9 + i] += hn::GetLane(hn::SumOfLanes(d, sum[i])); });
  }
}

/// One vector of pixels; the sums for γ and β are left in lanes.
HWY_INLINE void norm_gradient(const LayerNormGradient& g, std::size_t at, float* lanes_gamma, float* lanes_beta) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const auto n = static_cast<std::size_t>(g.channels);
  const V share = hn::Set(d, 1.0f / static_cast<float>(g.channels));
  const float* in = g.in + at;
  const float* gradient = g.gradient + at;
  V mean = hn::Zero(d);
  for (std::size_t c = 0; c < n; ++c) mean = hn::Add(mean, hn::LoadU(d, in + c * g.in_pitch));
  mean = hn::Mul(mean, share);
  V variance = hn::Zero(d);
  for (std::size_t c = 0; c < n; ++c) {
    const V from_mean = hn::Sub(hn::LoadU(d, in + c * g.in_pitch), mean);
    variance = hn::MulAdd(from_mean, from_mean, variance);
  }
  const V scale = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(hn::MulAdd(variance, share, hn::Set(d, kLayerNormEpsilon))));
  V sum = hn::Zero(d);
  V along = hn::Zero(d);
  for (std::size_t c = 0; c < n; ++c) {
    const V normal = hn::Mul(hn::Sub(hn::LoadU(d, in + c * g.in_pitch), mean), scale);
    const V dy = hn::LoadU(d, gradient + c * g.gradient_pitch);
    const V weighted = hn::Mul(dy, hn::Set(d, g.gamma[c]));
    sum = hn::Add(sum, weighted);
    along = hn::MulAdd(weighted, normal, along);
    float* to = lanes_gamma + c * lanes;
    hn::StoreU(hn::MulAdd(dy, normal, hn::LoadU(d, to)), d, to);
    to = lanes_beta + c * lanes;
    hn::StoreU(hn::Add(dy, hn::LoadU(d, to)), d, to);
  }
  sum = hn::Mul(sum, share);
  along = hn::Mul(along, share);
  float* out = g.out + at;
  for (std::size_t c = 0; c < n; ++c) {
    const V normal = hn::Mul(hn::Sub(hn::LoadU(d, in + c * g.in_pitch), mean), scale);
    const V weighted = hn::Mul(hn::LoadU(d, gradient + c * g.gradient_pitch), hn::Set(d, g.gamma[c]));
    const V dx = hn::Mul(scale, hn::Sub(hn::Sub(weighted, sum), hn::Mul(normal, along)));
    hn::StoreU(hn::Add(hn::LoadU(d, out + c * g.out_pitch), dx), d, out + c * g.out_pitch);
  }
}

void NormGradient(const LayerNormGradient& g) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  constexpr int kMost = 128;
  if (g.channels > kMost) return plain::layer_norm_gradient(g);
  HWY_ALIGN float sums[2][kMost * hn::MaxLanes(d)];
  const std::size_t used = static_cast<std::size_t>(g.channels) * lanes;
  for (auto& s : sums) {
    for (std::size_t i = 0; i < used; ++i) s[i] = 0;
  }
  std::size_t p = 0;
  for (; p + lanes <= g.pixels; p += lanes) norm_gradient(g, p, sums[0], sums[1]);
  for (std::size_t c = 0; c < static_cast<std::size_t>(g.channels); ++c) {
    g.gamma_gradient[c] += hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums[0] + c * lanes)));
    g.beta_gradient[c] += hn::GetLane(hn::SumOfLanes(d, hn::LoadU(d, sums[1] + c * lanes)));
  }
  if (p == g.pixels) return;
  LayerNormGradient rest = g;
  rest.in += p;
  rest.gradient += p;
  rest.out += p;
  rest.pixels -= p;
  plain::layer_norm_gradient(rest);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Outer);
HWY_EXPORT(GeluAndSlope);
HWY_EXPORT(LeakyAndSlope);
HWY_EXPORT(Multiply);
HWY_EXPORT(DepthwiseWeights);
HWY_EXPORT(NormGradient);

void outer_product(const OuterProduct& product) { HWY_DYNAMIC_DISPATCH(Outer)(product); }
void gelu_and_slope(const float* x, std::size_t n, float* value, float* slope) {
  HWY_DYNAMIC_DISPATCH(GeluAndSlope)(x, n, value, slope);
}
void leaky_and_slope(const float* x, std::size_t n, float* value, float* slope) {
  HWY_DYNAMIC_DISPATCH(LeakyAndSlope)(x, n, value, slope);
}
void multiply(float* x, const float* y, std::size_t n) { HWY_DYNAMIC_DISPATCH(Multiply)(x, y, n); }
void depthwise_gradient(const DepthwiseGradient& gradient) { HWY_DYNAMIC_DISPATCH(DepthwiseWeights)(gradient); }
void layer_norm_gradient(const LayerNormGradient& gradient) { HWY_DYNAMIC_DISPATCH(NormGradient)(gradient); }

}  // namespace snapcube::kernels
#endif
