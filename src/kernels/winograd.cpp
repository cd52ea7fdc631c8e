#include "kernels/winograd.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/winograd.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

struct Input {
  static constexpr int kInputs = 6;
  static constexpr int kOutputs = 6;
  static constexpr float factor(int o, int i) {
    return kWinogradInput[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
  }
};
struct Output {
  static constexpr int kInputs = 6;
  static constexpr int kOutputs = 4;
  static constexpr float factor(int o, int i) {
    return kWinogradOutput[static_cast<std::size_t>(o)][static_cast<std::size_t>(i)];
  }
};
struct OutputTransposed {
  static constexpr int kInputs = 4;
  static constexpr int kOutputs = 6;
  static constexpr float factor(int o, int i) { return Output::factor(i, o); }
};

/// out[o] = Σ_i factor(o, i)·in[i] of one vector; factors of 0 and ±1 cost no multiplication.
template <typename Matrix>
HWY_INLINE void combine_vector(const V (&in)[Matrix::kInputs], float* const* out, std::size_t p) {
  const F d;
  unrolled<Matrix::kOutputs>([&](auto o) SNAPCUBE_LAMBDA {
    if (!out[o]) return;
    V sum = hn::Zero(d);
    unrolled<Matrix::kInputs>([&](auto i) SNAPCUBE_LAMBDA {
      constexpr float kFactor = Matrix::factor(o, i);
      if constexpr (kFactor == 1) {
        sum = hn::Add(sum, in[i]);
      } else if constexpr (kFactor == -1) {
        sum = hn::Sub(sum, in[i]);
      } else if constexpr (kFactor != 0) {
        sum = hn::MulAdd(in[i], hn::Set(d, kFactor), sum);
      }
    });
    hn::StoreU(sum, d, out[o] + p);
  });
}

template <typename Matrix>
HWY_INLINE std::size_t combine(const float* const* in, std::size_t n, float* const* out) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t p = 0;
  for (; p + lanes <= n; p += lanes) {
    V values[Matrix::kInputs];
    unrolled<Matrix::kInputs>([&](auto i)
                                  SNAPCUBE_LAMBDA { values[i] = in[i] ? hn::LoadU(d, in[i] + p) : hn::Zero(d); });
    combine_vector<Matrix>(values, out, p);
  }
  return p;
}

/// Pointers behind the first `p` floats; null stays null.
template <int kCount, typename Float>
HWY_INLINE void behind(Float* const* from, std::size_t p, Float** to) {
  for (int i = 0; i < kCount; ++i) to[i] = from[i] ? from[i] + p : nullptr;
}

void WinogradInput(const float* const* rows, std::size_t n, float* const* out) {
  const std::size_t p = combine<Input>(rows, n, out);
  const float* in[6];
  float* to[6];
  behind<6>(rows, p, in);
  behind<6>(out, p, to);
  plain::winograd_input(in, n - p, to);
}

void WinogradOutput(const float* const* products, std::size_t n, float* const* out) {
  const std::size_t p = combine<Output>(products, n, out);
  const float* in[6];
  float* to[4];
  behind<6>(products, p, in);
  behind<4>(out, p, to);
  plain::winograd_output(in, n - p, to);
}

void WinogradOutputTransposed(const float* const* rows, std::size_t n, float* const* out) {
  const std::size_t p = combine<OutputTransposed>(rows, n, out);
  const float* in[4];
  float* to[6];
  behind<4>(rows, p, in);
  behind<6>(out, p, to);
  plain::winograd_output_transposed(in, n - p, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(WinogradInput);
HWY_EXPORT(WinogradOutput);
HWY_EXPORT(WinogradOutputTransposed);

void winograd_input(const float* const rows[6], std::size_t n, float* const out[6]) {
  HWY_DYNAMIC_DISPATCH(WinogradInput)(rows, n, out);
}
void winograd_output(const float* const products[6], std::size_t n, float* const out[4]) {
  HWY_DYNAMIC_DISPATCH(WinogradOutput)(products, n, out);
}
void winograd_output_transposed(const float* const rows[4], std::size_t n, float* const out[6]) {
  HWY_DYNAMIC_DISPATCH(WinogradOutputTransposed)(rows, n, out);
}

}  // namespace snapcube::kernels
#endif
