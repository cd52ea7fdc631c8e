#include "kernels/gram.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gram.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// Rows of a tile of the result: its sums, the vectors of one side and one of the other fit into the registers.
constexpr int kGramTile = kRegisterRows > 5 ? 4 : 3;

/// Adds the share of one stretch of the rows, `vectors` whole vectors, to a kRows × kColumns tile of the result.
template <int kRows, int kColumns>
HWY_NOINLINE void add_tile(const float* a, const float* b, std::size_t pitch, std::size_t vectors, double* gram,
                           std::size_t size) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  V sum[kRows][kColumns];
  unrolled<kRows>(
      [&](auto r) SNAPCUBE_LAMBDA { unrolled<kColumns>([&](auto c) SNAPCUBE_LAMBDA { sum[r][c] = hn::Zero(d); }); });
  for (std::size_t v = 0; v < vectors; ++v, a += lanes, b += lanes) {
    V left[kRows];
    unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA { left[r] = hn::LoadU(d, a + r * pitch); });
    unrolled<kColumns>([&](auto c) SNAPCUBE_LAMBDA {
      const V right = hn::LoadU(d, b + c * pitch);
      unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA { sum[r][c] = hn::MulAdd(left[r], right, sum[r][c]); });
    });
  }
  unrolled<kRows>([&](auto r) SNAPCUBE_LAMBDA {
    unrolled<kColumns>([&](auto c) SNAPCUBE_LAMBDA {
      gram[r * size + c] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum[r][c])));
    });
  });
}

void Gram(const float* rows, int count, std::size_t pitch, std::size_t n, double* gram) {
  constexpr auto kTile = static_cast<std::size_t>(kGramTile);
  const auto size = static_cast<std::size_t>(count);
  const std::size_t lanes = hn::Lanes(F());
  const std::size_t whole = n / lanes * lanes;
  const std::size_t stretch = HWY_MAX(std::size_t{512}, lanes);
  std::fill_n(gram, size * size, 0.0);
  for (std::size_t at = 0; at < whole; at += stretch) {
    const std::size_t vectors = HWY_MIN(stretch, whole - at) / lanes;
    const float* from = rows + at;
    for (std::size_t i = 0; i < size; i += kTile) {
      for (std::size_t k = 0; k <= i; k += kTile) {
        double* to = gram + i * size + k;
        if (i + kTile <= size) {
          add_tile<kGramTile, kGramTile>(from + i * pitch, from + k * pitch, pitch, vectors, to, size);
        } else {
          for (std::size_t r = i; r < size; ++r) {
            for (std::size_t c = k; c < HWY_MIN(k + kTile, r + 1); ++c) {
              add_tile<1, 1>(from + r * pitch, from + c * pitch, pitch, vectors, gram + r * size + c, size);
            }
          }
        }
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k <= i; ++k) {
      double sum = gram[i * size + k];
      for (std::size_t p = whole; p < n; ++p) sum += static_cast<double>(rows[i * pitch + p]) * rows[k * pitch + p];
      gram[i * size + k] = gram[k * size + i] = sum;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Gram);
void gram_matrix(const float* rows, int count, std::size_t pitch, std::size_t n, double* gram) {
  HWY_DYNAMIC_DISPATCH(Gram)(rows, count, pitch, n, gram);
}

}  // namespace snapcube::kernels
#endif
