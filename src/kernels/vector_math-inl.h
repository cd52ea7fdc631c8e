// Functions of vectors, compiled into every kernel that needs them, once for each instruction set.

#include <hwy/highway.h>

#if defined(SNAPCUBE_KERNELS_VECTOR_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef SNAPCUBE_KERNELS_VECTOR_MATH
#undef SNAPCUBE_KERNELS_VECTOR_MATH
#else
#define SNAPCUBE_KERNELS_VECTOR_MATH
#endif

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;

/// Φ(−a) for 0 ≤ a ≤ 5.5, as p(a)⁸ with a polynomial p: an eighth root is smooth where the tail itself spans seven
/// powers of ten, so degree 7 suffices, without a division. p is the minimax fit of a·Φ(−a).
HWY_INLINE V normal_tail(V a) {
  const F d;
  V p = hn::Set(d, 3.2364139e-6f);
  p = hn::MulAdd(p, a, hn::Set(d, -3.5671117e-5f));
  p = hn::MulAdd(p, a, hn::Set(d, -4.0023227e-5f));
  p = hn::MulAdd(p, a, hn::Set(d, 1.6305952e-3f));
  p = hn::MulAdd(p, a, hn::Set(d, -7.9277996e-4f));
  p = hn::MulAdd(p, a, hn::Set(d, -3.1866327e-2f));
  p = hn::MulAdd(p, a, hn::Set(d, -9.1472119e-2f));
  p = hn::MulAdd(p, a, hn::Set(d, 0.91700518f));
  p = hn::Mul(p, p);
  p = hn::Mul(p, p);
  return hn::Mul(p, p);
}

/// x·Φ(x) = max(x, 0) − |x|·Φ(−|x|); beyond 5.5 the last term is below 1.1e-7 and stays at that value.
HWY_INLINE V gelu_of(V x) {
  const F d;
  const V a = hn::Min(hn::Abs(x), hn::Set(d, 5.5f));
  return hn::NegMulAdd(a, normal_tail(a), hn::Max(x, hn::Zero(d)));
}

/// eˣ for x ≤ 88, relative error below 2e-7; below `lowest` ≥ −87 it stays as it is there. x = n·ln 2 + r with |r| ≤ ln
/// 2 / 2, eʳ = 1 + r + r²·q(r), q the minimax cubic, and 2ⁿ is added to the exponent's bits.
HWY_INLINE V exp_of(V x, float lowest = -87.0f) {
  const F d;
  const hn::RebindToSigned<F> di;
  x = hn::Max(x, hn::Set(d, lowest));
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  V q = hn::Set(d, 8.3125243e-3f);
  q = hn::MulAdd(q, r, hn::Set(d, 4.1890167e-2f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.16667114f));
  q = hn::MulAdd(q, r, hn::Set(d, 0.49999231f));
  const V power = hn::MulAdd(hn::Mul(r, r), q, hn::Add(r, hn::Set(d, 1.0f)));
  const auto shift = hn::ShiftLeft<23>(hn::ConvertTo(di, n));
  return hn::BitCast(d, hn::Add(hn::BitCast(di, power), shift));
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#endif
