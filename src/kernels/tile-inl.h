// The innermost loop: a tile of outputs × pixels that stays in registers while the sum runs.

#include <hwy/highway.h>
#include <utility>

#if defined(SNAPCUBE_KERNELS_TILE) == defined(HWY_TARGET_TOGGLE)
#ifdef SNAPCUBE_KERNELS_TILE
#undef SNAPCUBE_KERNELS_TILE
#else
#define SNAPCUBE_KERNELS_TILE
#endif

#include "kernels/row_product.h"
#include "kernels/vector_math-inl.h"

// A lambda inside a kernel: compiled for the kernel's instruction set, and never called. A call would force the vectors
// it refers to out of the registers.
#ifndef SNAPCUBE_LAMBDA
#define SNAPCUBE_LAMBDA HWY_ATTR __attribute__((always_inline))
#endif

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// Outputs that fit into the registers beside two vectors of pixels and one of a weight.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM
constexpr int kRegisterRows = 14;  // of 32 registers
#else
constexpr int kRegisterRows = 5;  // of 16
#endif

/// body(0), body(1), … with compile-time indices: arrays of vectors are then registers.
template <int kCount, typename Body>
HWY_INLINE void unrolled(const Body& body) {
  [&]<int... i>(std::integer_sequence<int, i...>) SNAPCUBE_LAMBDA { (body(std::integral_constant<int, i>()), ...); }
  (std::make_integer_sequence<int, kCount>());
}

template <Activation kActivation>
HWY_INLINE V activated(V x) {
  const F d;
  if constexpr (kActivation == Activation::relu) return hn::Max(x, hn::Zero(d));
  if constexpr (kActivation == Activation::leaky_relu) return hn::Max(x, hn::Mul(x, hn::Set(d, kLeakySlope)));
  if constexpr (kActivation == Activation::gelu) return gelu_of(x);
  return x;
}

/// Stores the last lanes of a vector: from + [lanes − left, lanes).
HWY_INLINE void store_last(V value, std::size_t left, float* to) {
  const F d;
  HWY_ALIGN float buffer[hn::MaxLanes(d)];
  hn::Store(value, d, buffer);
  for (std::size_t i = hn::Lanes(d) - left; i < hn::Lanes(d); ++i) to[i] = buffer[i];
}

/// body(constant) with the activation as a compile-time constant.
template <typename Body>
HWY_INLINE void with_activation(Activation activation, const Body& body) {
  switch (activation) {
    case Activation::none:
      return body(std::integral_constant<Activation, Activation::none>());
    case Activation::relu:
      return body(std::integral_constant<Activation, Activation::relu>());
    case Activation::leaky_relu:
      return body(std::integral_constant<Activation, Activation::leaky_relu>());
    case Activation::gelu:
      return body(std::integral_constant<Activation, Activation::gelu>());
  }
}

template <int kRows, int kVectors>
struct Tile {
  V sum[kRows][kVectors];

  HWY_INLINE Tile() {}  // an implicit one would not be compiled for the instruction set

  HWY_INLINE void clear() {
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
      unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { sum[r][v] = hn::Zero(F()); });
    });
  }

  /// sum[r][·] += Σ_k weights[r·kRowStride + k·weight_step] · pixels[k·pitch + ·]
  template <int kRowStride>
  HWY_INLINE void add(const float* HWY_RESTRICT weights, std::size_t weight_step, const float* HWY_RESTRICT pixels,
                      std::size_t pitch, int depth) {
    const F d;
    const std::size_t lanes = hn::Lanes(d);
    for (int k = 0; k < depth; ++k) {
      V x[kVectors];
      unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { x[v] = hn::LoadU(d, pixels + v * lanes); });
      unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
        const V w = hn::Set(d, weights[r * kRowStride]);
        unrolled<kVectors>([&](auto v) SNAPCUBE_LAMBDA { sum[r][v] = hn::MulAdd(w, x[v], sum[r][v]); });
      });
      weights += weight_step;
      pixels += pitch;
    }
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#endif
