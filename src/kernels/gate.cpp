#include "kernels/gate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gate.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

HWY_INLINE V gated(const Gate& g, std::size_t at) {
  const F d;
  V sum = hn::Set(d, g.bias);
  for (int dy = 0; dy < 5; ++dy) {
    if (!g.rows[dy]) continue;
    const float* x = g.rows[dy] + at;
    const float* w = g.weights + 5 * dy;
    unrolled<5>([&](auto dx) SNAPCUBE_LAMBDA { sum = hn::MulAdd(hn::Set(d, w[dx]), hn::LoadU(d, x + dx - 2), sum); });
  }
  const V one = hn::Set(d, 1.0f);
  const V power = exp_of(hn::Min(hn::Neg(sum), hn::Set(d, 87.0f)));
  return hn::Mul(hn::LoadU(d, g.x + at), hn::Add(one, hn::Div(one, hn::Add(one, power))));
}

void Apply(const Gate& g) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  if (g.pixels < lanes) return plain::gate(g);
  std::size_t at = 0;
  for (; at + lanes <= g.pixels; at += lanes) hn::StoreU(gated(g, at), d, g.out + at);
  if (at < g.pixels) hn::StoreU(gated(g, g.pixels - lanes), d, g.out + g.pixels - lanes);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Apply);
void gate(const Gate& gate) { HWY_DYNAMIC_DISPATCH(Apply)(gate); }

}  // namespace snapcube::kernels
#endif
