#include "kernels/depthwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/depthwise.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// One vector of pixels from `at` on, of all kRows output rows. `left` < lanes: only that many of the last pixels are
/// new.
template <int kRows, int kStride, Activation kActivation>
HWY_INLINE void one_vector(const Depthwise& c, const V* w, std::size_t channel, std::size_t at, std::size_t left) {
  const F d;
  V sum[kRows];
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA { sum[r] = hn::Zero(d); });
  unrolled<kStride*(kRows - 1) + 3>([&](auto i) SNAPCUBE_LAMBDA {
    const float* x = c.rows[i] + channel * c.pitch + kStride * at;
    V before;
    V centre;
    V after;
    if constexpr (kStride == 1) {
      before = hn::LoadU(d, x - 1);
      centre = hn::LoadU(d, x);
      after = hn::LoadU(d, x + 1);
    } else {
      hn::LoadInterleaved2(d, x - 1, before, centre);
      hn::LoadInterleaved2(d, x, centre, after);
    }
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      constexpr int dy = i - kStride * r;
      if constexpr (dy >= 0 && dy < 3) {
        sum[r] = hn::MulAdd(w[3 * dy], before, sum[r]);
        sum[r] = hn::MulAdd(w[3 * dy + 1], centre, sum[r]);
        sum[r] = hn::MulAdd(w[3 * dy + 2], after, sum[r]);
      }
    });
  });
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
    V y = activated<kActivation>(sum[r]);
    if (c.residual) {
      y = hn::Add(y, hn::LoadU(d, c.residual + r * c.residual_row_step + channel * c.residual_pitch + at));
    }
    float* to = c.out + r * c.out_row_step + channel * c.out_pitch + at;
    left < hn::Lanes(d) ? store_last(y, left, to) : hn::StoreU(y, d, to);
  });
}

template <int kRows, int kStride, Activation kActivation>
HWY_NOINLINE void all_channels(const Depthwise& c) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(c.channels); ++channel) {
    V w[9];
    unrolled<9>([&](auto t) SNAPCUBE_LAMBDA { w[t] = hn::Set(d, c.weights[9 * channel + t]); });
    std::size_t at = 0;
    for (; at + lanes <= c.pixels; at += lanes) one_vector<kRows, kStride, kActivation>(c, w, channel, at, lanes);
    if (at < c.pixels) one_vector<kRows, kStride, kActivation>(c, w, channel, c.pixels - lanes, c.pixels - at);
  }
}

template <Activation kActivation>
HWY_INLINE void choose_rows(const Depthwise& c) {
  if (c.stride == 2) {  // rows share little then: one after the other
    Depthwise row = c;
    for (int r = 0; r < c.out_rows; ++r, row.rows += 2, row.out += c.out_row_step) {
      all_channels<1, 2, kActivation>(row);
      if (row.residual) row.residual += c.residual_row_step;
    }
    return;
  }
  switch (c.out_rows) {
    case 1:
      return all_channels<1, 1, kActivation>(c);
    case 2:
      return all_channels<2, 1, kActivation>(c);
    case 3:
      return all_channels<3, 1, kActivation>(c);
    default:
      return all_channels<kMaxDepthwiseRows, 1, kActivation>(c);
  }
}

void Convolve(const Depthwise& c) {
  if (c.pixels < hn::Lanes(F())) return plain::depthwise(c);
  with_activation(c.activation, [&](auto activation) SNAPCUBE_LAMBDA { choose_rows<activation>(c); });
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Convolve);
void depthwise(const Depthwise& convolution) { HWY_DYNAMIC_DISPATCH(Convolve)(convolution); }

}  // namespace snapcube::kernels
#endif
