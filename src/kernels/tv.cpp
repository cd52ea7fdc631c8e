#include "kernels/tv.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/tv.cpp"
#include <hwy/foreach_target.h>  // compiles this file once for every instruction set
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;
constexpr F kFull;

// Runs body(i, load, store) over n elements: whole vectors first, then one vector of the n mod N that are left, loaded
// and stored element-wise so that nothing outside the row is touched.
template <typename Body>
HWY_INLINE void for_each_vector(std::size_t n, const Body& body) {
  const std::size_t lanes = hn::Lanes(kFull);
  std::size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    body(
        i, [](const float* from) HWY_ATTR { return hn::LoadU(kFull, from); },
        [](V v, float* to) HWY_ATTR { hn::StoreU(v, kFull, to); });
  }
  if (i == n) return;
  const std::size_t left = n - i;
  body(
      i,
      [left](const float* from) HWY_ATTR {
        HWY_ALIGN float buffer[hn::MaxLanes(kFull)] = {};
        for (std::size_t k = 0; k < left; ++k) buffer[k] = from[k];
        return hn::Load(kFull, buffer);
      },
      [left](V v, float* to) HWY_ATTR {
        HWY_ALIGN float buffer[hn::MaxLanes(kFull)];
        hn::Store(v, kFull, buffer);
        for (std::size_t k = 0; k < left; ++k) to[k] = buffer[k];
      });
}

HWY_INLINE V one_over_at_least_one(V squared) {
  const V one = hn::Set(kFull, 1.0f);
  return hn::Div(one, hn::Max(one, hn::Sqrt(squared)));
}

void PrimalRow(const float* f, const float* p, const float* q, const float* q_above, float weight, std::size_t n,
               float* u) {
  if (n == 0) return;
  plain::tv_primal_row(f, p, q, q_above, weight, 1, u);
  const V w = hn::Set(kFull, weight);
  const float* left = p;
  ++f, ++p, ++q, ++u;
  if (q_above) {
    ++q_above;
    for_each_vector(n - 1, [&](std::size_t i, auto load, auto store) HWY_ATTR {
      const V across = hn::Sub(load(p + i), load(left + i));
      const V down = hn::Sub(load(q + i), load(q_above + i));
      store(hn::Add(load(f + i), hn::Mul(w, hn::Add(across, down))), u + i);
    });
  } else {
    for_each_vector(n - 1, [&](std::size_t i, auto load, auto store) HWY_ATTR {
      const V across = hn::Sub(load(p + i), load(left + i));
      store(hn::Add(load(f + i), hn::Mul(w, hn::Add(across, load(q + i)))), u + i);
    });
  }
}

void AscendRow(const float* u, const float* u_below, float step, std::size_t n, float* p, float* q) {
  if (n == 0) return;
  const V s = hn::Set(kFull, step);
  for_each_vector(n - 1, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    store(hn::Add(load(p + i), hn::Mul(s, hn::Sub(load(u + i + 1), load(u + i)))), p + i);
  });
  if (!u_below) return;
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    store(hn::Add(load(q + i), hn::Mul(s, hn::Sub(load(u_below + i), load(u + i)))), q + i);
  });
}

void ClipRow(std::size_t n, float* p, float* q) {
  const V one = hn::Set(kFull, 1.0f);
  const V minus_one = hn::Set(kFull, -1.0f);
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    store(hn::Min(one, hn::Max(minus_one, load(p + i))), p + i);
    store(hn::Min(one, hn::Max(minus_one, load(q + i))), q + i);
  });
}

void ProjectRow(std::size_t n, float* p, float* q) {
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V vp = load(p + i);
    const V vq = load(q + i);
    const V shrink = one_over_at_least_one(hn::Add(hn::Mul(vp, vp), hn::Mul(vq, vq)));
    store(hn::Mul(vp, shrink), p + i);
    store(hn::Mul(vq, shrink), q + i);
  });
}

void GramRow(const float* p, const float* q, std::size_t n, float* pp, float* pq, float* qq) {
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V vp = load(p + i);
    const V vq = load(q + i);
    store(hn::Add(load(pp + i), hn::Mul(vp, vp)), pp + i);
    store(hn::Add(load(pq + i), hn::Mul(vp, vq)), pq + i);
    store(hn::Add(load(qq + i), hn::Mul(vq, vq)), qq + i);
  });
}

void VectorialRow(std::size_t n, float* pp, float* pq, float* qq) {
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V shrink = one_over_at_least_one(hn::Add(load(pp + i), load(qq + i)));
    store(shrink, pp + i);
    store(hn::Zero(kFull), pq + i);
    store(shrink, qq + i);
  });
}

void NuclearRow(std::size_t n, float* pp, float* pq, float* qq) {
  const V one_half = hn::Set(kFull, 0.5f);
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V a = load(pp + i);
    const V b = load(pq + i);
    const V c = load(qq + i);
    const V half = hn::Mul(one_half, hn::Sub(a, c));
    const V mid = hn::Mul(one_half, hn::Add(a, c));
    const V spread = hn::Sqrt(hn::Add(hn::Mul(half, half), hn::Mul(b, b)));
    const V large = one_over_at_least_one(hn::Add(mid, spread));
    const V small = one_over_at_least_one(hn::Max(hn::Zero(kFull), hn::Sub(mid, spread)));
    const V centre = hn::Mul(one_half, hn::Add(large, small));
    const V slope = hn::Div(hn::Mul(one_half, hn::Sub(large, small)), hn::Max(spread, hn::Set(kFull, 1e-20f)));
    store(hn::Add(centre, hn::Mul(slope, half)), pp + i);
    store(hn::Sub(centre, hn::Mul(slope, half)), qq + i);
    store(hn::Mul(slope, b), pq + i);
  });
}

void CoupleRow(const float* pp, const float* pq, const float* qq, std::size_t n, float* p, float* q) {
  for_each_vector(n, [&](std::size_t i, auto load, auto store) HWY_ATTR {
    const V across = load(p + i);
    const V down = load(q + i);
    const V mixed = load(pq + i);
    store(hn::Add(hn::Mul(load(pp + i), across), hn::Mul(mixed, down)), p + i);
    store(hn::Add(hn::Mul(mixed, across), hn::Mul(load(qq + i), down)), q + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(PrimalRow);
HWY_EXPORT(AscendRow);
HWY_EXPORT(ClipRow);
HWY_EXPORT(ProjectRow);
HWY_EXPORT(GramRow);
HWY_EXPORT(VectorialRow);
HWY_EXPORT(NuclearRow);
HWY_EXPORT(CoupleRow);

void tv_primal_row(const float* f, const float* p, const float* q, const float* q_above, float weight, std::size_t n,
                   float* u) {
  HWY_DYNAMIC_DISPATCH(PrimalRow)(f, p, q, q_above, weight, n, u);
}
void tv_ascend_row(const float* u, const float* u_below, float step, std::size_t n, float* p, float* q) {
  HWY_DYNAMIC_DISPATCH(AscendRow)(u, u_below, step, n, p, q);
}
void tv_clip_row(std::size_t n, float* p, float* q) { HWY_DYNAMIC_DISPATCH(ClipRow)(n, p, q); }
void tv_project_row(std::size_t n, float* p, float* q) { HWY_DYNAMIC_DISPATCH(ProjectRow)(n, p, q); }
void tv_gram_row(const float* p, const float* q, std::size_t n, float* pp, float* pq, float* qq) {
  HWY_DYNAMIC_DISPATCH(GramRow)(p, q, n, pp, pq, qq);
}
void tv_vectorial_row(std::size_t n, float* pp, float* pq, float* qq) {
  HWY_DYNAMIC_DISPATCH(VectorialRow)(n, pp, pq, qq);
}
void tv_nuclear_row(std::size_t n, float* pp, float* pq, float* qq) { HWY_DYNAMIC_DISPATCH(NuclearRow)(n, pp, pq, qq); }
void tv_couple_row(const float* pp, const float* pq, const float* qq, std::size_t n, float* p, float* q) {
  HWY_DYNAMIC_DISPATCH(CoupleRow)(pp, pq, qq, n, p, q);
}

}  // namespace snapcube::kernels
#endif
