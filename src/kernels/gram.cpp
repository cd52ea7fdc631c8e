#include "kernels/gram.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gram.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

// A vector must not reach beyond the padding.
using G = hn::CappedTag<float, kGramPadding>;

/// Channels of a tile, whose sums stay in registers: kTileI × kTileJ of them beside kTileJ + 1 for what is loaded.
constexpr int kTileI = kRegisterRows > 5 ? 4 : 2;
constexpr int kTileJ = 6;

/// Products that a lane sums in single precision. With 16 lanes the channels of a tile then fit the L1 cache.
constexpr std::size_t kTerms = 64;

/// Part of the rows: `pixels` of `rows` rows from x on.
struct Part {
  const float* x;
  std::size_t pixels;
  int rows;
};

/// Sums of channels i … i + kI − 1 with j … j + kJ − 1 over the part; those from (first_i, first_j) on and on or above
/// the diagonal are added.
template <int kI, int kJ>
HWY_NOINLINE void add_tile(const Gram& g, const Part& part, int i, int j, int first_i, int first_j) {
  const G d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<G> sum[kI][kJ];
  unrolled<kI>([&](auto a) SNAPCUBE_LAMBDA { unrolled<kJ>([&](auto b) SNAPCUBE_LAMBDA { sum[a][b] = hn::Zero(d); }); });
  const float* HWY_RESTRICT xi = part.x + static_cast<std::size_t>(i) * g.pitch;
  const float* HWY_RESTRICT xj = part.x + static_cast<std::size_t>(j) * g.pitch;
  for (int r = 0; r < part.rows; ++r, xi += g.row_step, xj += g.row_step) {
    for (std::size_t p = 0; p < part.pixels; p += lanes) {
      hn::Vec<G> other[kJ];
      unrolled<kJ>([&](auto b) SNAPCUBE_LAMBDA { other[b] = hn::LoadU(d, xj + b * g.pitch + p); });
      unrolled<kI>([&](auto a) SNAPCUBE_LAMBDA {
        const auto own = hn::LoadU(d, xi + a * g.pitch + p);
        unrolled<kJ>([&](auto b) SNAPCUBE_LAMBDA { sum[a][b] = hn::MulAdd(own, other[b], sum[a][b]); });
      });
    }
  }
  float sums[kI][kJ];
  unrolled<kI>([&](auto a) SNAPCUBE_LAMBDA {
    unrolled<kJ>([&](auto b) SNAPCUBE_LAMBDA { sums[a][b] = hn::GetLane(hn::SumOfLanes(d, sum[a][b])); });
  });
  for (int a = first_i; a < i + kI; ++a) {
    double* to = g.sums + static_cast<std::size_t>(a) * static_cast<std::size_t>(g.channels);
    for (int b = HWY_MAX(first_j, a); b < j + kJ; ++b) to[b] += sums[a - i][b - j];
  }
}

/// All tiles on or above the diagonal; the last ones of a row and of a column lie over those before them.
template <int kI, int kJ>
HWY_INLINE void all_tiles(const Gram& g, const Part& part) {
  for (int i = 0; i < g.channels; i += kI) {
    for (int j = i; j < g.channels; j += kJ) {
      add_tile<kI, kJ>(g, part, HWY_MIN(i, g.channels - kI), HWY_MIN(j, g.channels - kJ), i, j);
    }
  }
}

void Add(const Gram& g) {
  const std::size_t most = kTerms * hn::Lanes(G());
  const auto rows = static_cast<int>(HWY_MAX(std::size_t{1}, most / HWY_MAX(std::size_t{1}, g.pixels)));
  for (int r = 0; r < g.rows; r += rows) {
    for (std::size_t p = 0; p < g.pixels; p += most) {
      const Part part{g.x + static_cast<std::size_t>(r) * g.row_step + p, HWY_MIN(most, g.pixels - p),
                      HWY_MIN(rows, g.rows - r)};
      if (g.channels < kTileJ) {
        all_tiles<1, 1>(g, part);
      } else {
        all_tiles<kTileI, kTileJ>(g, part);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace snapcube::kernels {

HWY_EXPORT(Add);
void gram(const Gram& gram) { HWY_DYNAMIC_DISPATCH(Add)(gram); }

}  // namespace snapcube::kernels
#endif
