#include "kernels/peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/peak.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

double MultiplyAdds(long rounds, float* sink) {
  const F d;
  constexpr int kChains = 12;  // latency 4, two a cycle: eight are needed, twelve leave room
  V a[kChains];
  // Each chain starts elsewhere: equal ones the compiler would compute once.
  unrolled<kChains>([&](auto i) SNAPCUBE_LAMBDA { a[i] = hn::Set(d, 0.1f * static_cast<float>(i + 1)); });
  const V m = hn::Set(d, 0.999f);
  const V c = hn::Set(d, 0.001f);
  for (long r = 0; r < rounds; ++r) {
    unrolled<kChains>([&](auto i) SNAPCUBE_LAMBDA { a[i] = hn::MulAdd(a[i], m, c); });
  }
  V sum = a[0];
  unrolled<kChains - 1>([&](auto i) SNAPCUBE_LAMBDA { sum = hn::Add(sum, a[i + 1]); });
  *sink = hn::GetLane(hn::SumOfLanes(d, sum));
  return static_cast<double>(kChains) * static_cast<double>(hn::Lanes(d)) * static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(MultiplyAdds);
double run_multiply_adds(long rounds, float* sink) { return HWY_DYNAMIC_DISPATCH(MultiplyAdds)(rounds, sink); }

}  // namespace snapcube::kernels
#endif
