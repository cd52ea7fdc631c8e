#include "kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// x ← function(x); the rest that fills no vector is padded in a buffer.
template <typename Function>
HWY_INLINE void map(float* x, std::size_t n, const Function& function) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, x + i);
  if (i == n) return;
  HWY_ALIGN float buffer[hn::MaxLanes(d)] = {};
  for (std::size_t k = i; k < n; ++k) buffer[k - i] = x[k];
  hn::Store(function(hn::Load(d, buffer)), d, buffer);
  for (std::size_t k = i; k < n; ++k) x[k] = buffer[k - i];
}

void Gelu(float* x, std::size_t n) {
  map(x, n, [](V v) SNAPCUBE_LAMBDA { return gelu_of(v); });
}

void Exponential(float* x, std::size_t n) {
  map(x, n, [](V v) SNAPCUBE_LAMBDA { return exp_of(v); });
}

template <int kVectors>
HWY_INLINE void normalise(const float* in, std::size_t pitch, int channels, const float* gamma, const float* beta,
                          float* out, std::size_t out_pitch) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const auto n = static_cast<std::size_t>(channels);
  const V share = hn::Set(d, 1.0f / static_cast<float>(channels));
  V mean[kVectors];
  V scale[kVectors];
  unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { mean[v] = scale[v] = hn::Zero(d); });
  for (std::size_t c = 0; c < n; ++c) {
    unrolled<kVectors>([&](auto v)
                           SNAPCUBE_LAMBDA { mean[v] = hn::Add(mean[v], hn::LoadU(d, in + c * pitch + v * lanes)); });
  }
  unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { mean[v] = hn::Mul(mean[v], share); });
  for (std::size_t c = 0; c < n; ++c) {
    unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA {
      const V from_mean = hn::Sub(hn::LoadU(d, in + c * pitch + v * lanes), mean[v]);
      scale[v] = hn::MulAdd(from_mean, from_mean, scale[v]);
    });
  }
  unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA {
    const V variance = hn::MulAdd(scale[v], share, hn::Set(d, kLayerNormEpsilon));
    scale[v] = hn::Div(hn::Set(d, 1.0f), hn::Sqrt(variance));
  });
  for (std::size_t c = 0; c < n; ++c) {
    unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA {
      V y = hn::Mul(hn::Sub(hn::LoadU(d, in + c * pitch + v * lanes), mean[v]), scale[v]);
      if (gamma) y = hn::MulAdd(y, hn::Set(d, gamma[c]), hn::Set(d, beta[c]));
      hn::StoreU(y, d, out + c * out_pitch + v * lanes);
    });
  }
}

void LayerNorm(const float* in, std::size_t pitch, int channels, std::size_t pixels, const float* gamma,
               const float* beta, float* out, std::size_t out_pitch) {
  const std::size_t lanes = hn::Lanes(F());
  std::size_t p = 0;
  for (; p + 4 * lanes <= pixels; p += 4 * lanes)
    normalise<4>(in + p, pitch, channels, gamma, beta, out + p, out_pitch);
  for (; p + lanes <= pixels; p += lanes) normalise<1>(in + p, pitch, channels, gamma, beta, out + p, out_pitch);
  if (p < pixels) plain::layer_norm(in + p, pitch, channels, pixels - p, gamma, beta, out + p, out_pitch);
}

void Multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels,
              std::size_t pixels, float* out, std::size_t out_pitch) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (int c = 0; c < channels; ++c, a += a_pitch, b += b_pitch, out += out_pitch) {
    std::size_t p = 0;
    for (; p + lanes <= pixels; p += lanes) hn::StoreU(hn::Mul(hn::LoadU(d, a + p), hn::LoadU(d, b + p)), d, out + p);
    for (; p < pixels; ++p) out[p] = a[p] * b[p];
  }
}

void SplitPairs(const float* in, std::size_t n, float* even, float* odd) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    V a;
    V b;
    hn::LoadInterleaved2(d, in + 2 * i, a, b);
    hn::StoreU(a, d, even + i);
    hn::StoreU(b, d, odd + i);
  }
  plain::split_pairs(in + 2 * i, n - i, even + i, odd + i);
}

void JoinPairs(const float* even, const float* odd, std::size_t n, const float* base, float* out) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    V a = hn::LoadU(d, even + i);
    V b = hn::LoadU(d, odd + i);
    if (base) {
      V first;
      V second;
      hn::LoadInterleaved2(d, base + 2 * i, first, second);
      a = hn::Add(a, first);
      b = hn::Add(b, second);
    }
    hn::StoreInterleaved2(a, b, d, out + 2 * i);
  }
  plain::join_pairs(even + i, odd + i, n - i, base ? base + 2 * i : nullptr, out + 2 * i);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Gelu);
HWY_EXPORT(Exponential);
HWY_EXPORT(LayerNorm);
HWY_EXPORT(Multiply);
HWY_EXPORT(SplitPairs);
HWY_EXPORT(JoinPairs);

void gelu(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(Gelu)(x, n); }
void exponential(float* x, std::size_t n) { HWY_DYNAMIC_DISPATCH(Exponential)(x, n); }
void layer_norm(const float* in, std::size_t pitch, int channels, std::size_t pixels, const float* gamma,
                const float* beta, float* out, std::size_t out_pitch) {
  HWY_DYNAMIC_DISPATCH(LayerNorm)(in, pitch, channels, pixels, gamma, beta, out, out_pitch);
}
void multiply(const float* a, std::size_t a_pitch, const float* b, std::size_t b_pitch, int channels,
              std::size_t pixels, float* out, std::size_t out_pitch) {
  HWY_DYNAMIC_DISPATCH(Multiply)(a, a_pitch, b, b_pitch, channels, pixels, out, out_pitch);
}
void split_pairs(const float* in, std::size_t n, float* even, float* odd) {
  HWY_DYNAMIC_DISPATCH(SplitPairs)(in, n, even, odd);
}
void join_pairs(const float* even, const float* odd, std::size_t n, const float* base, float* out) {
  HWY_DYNAMIC_DISPATCH(JoinPairs)(even, odd, n, base, out);
}

}  // namespace snapcube::kernels
#endif
