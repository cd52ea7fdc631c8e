// What attention inside buckets and its gradient share: gathering tokens, and walking over rows in tiles.

#include <hwy/highway.h>

#if defined(SNAPCUBE_KERNELS_BUCKET) == defined(HWY_TARGET_TOGGLE)
#ifdef SNAPCUBE_KERNELS_BUCKET
#undef SNAPCUBE_KERNELS_BUCKET
#else
#define SNAPCUBE_KERNELS_BUCKET
#endif

#include <cstdint>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

/// Tokens are gathered in groups of this many, [channel][64]: a distance that the compiler knows lets the tiles address
/// 14 channels from one pointer.
constexpr std::size_t kGroup = 64;

/// Columns index[0 … count) of [channels][pitch] to [channels][kGroup]; `count` is a multiple of the vector's lanes.
HWY_INLINE void gather(const float* from, std::size_t pitch, int channels, const std::int32_t* index, std::size_t count,
                       float* to) {
  const F d;
  const hn::RebindToSigned<F> di;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < count; i += lanes) {
    const auto at = hn::LoadU(di, index + i);
    for (int c = 0; c < channels; ++c) {
      hn::StoreU(hn::GatherIndex(d, from + static_cast<std::size_t>(c) * pitch, at), d,
                 to + static_cast<std::size_t>(c) * kGroup + i);
    }
  }
}

/// Calls body(constant rows, first) over `count` rows in tiles as even as they get.
template <typename Body>
HWY_INLINE void in_tiles(int count, const Body& body) {
  const int parts = (count + kRegisterRows - 1) / kRegisterRows;
  for (int part = 0, first = 0; part < parts; ++part) {
    const int rows = (count - first) / (parts - part);
    unrolled<kRegisterRows>([&](auto r) SNAPCUBE_LAMBDA {
      if (rows == r + 1) body(std::integral_constant<int, r + 1>(), first);
    });
    first += rows;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#endif
