#include "kernels/hash.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/hash.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace snapcube::kernels {
namespace HWY_NAMESPACE {

// In double precision: where lengths are nearly equal, as they are after LayerNorm, n_max² − |e|² in single precision
// is little more than the rounding of its terms, and its root far more.
void HashCodes(const float* tokens, std::size_t pitch, std::size_t count, const HashVectors& h, float* codes,
               double* scratch) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, decltype(d)> df;
  const std::size_t lanes = hn::Lanes(d);
  if (count < lanes) return plain::hash_codes(tokens, pitch, count, h, codes, scratch);
  const auto width = static_cast<std::size_t>(h.width);
  const auto rounds = static_cast<std::size_t>(h.rounds);
  // The last vector may overlap the one before: both compute the same.
  const auto each_vector = [&](const auto& body) SNAPCUBE_LAMBDA {
    std::size_t t = 0;
    for (; t + lanes <= count; t += lanes) body(t);
    if (t < count) body(count - lanes);
  };
  const auto token = [&](std::size_t c, std::size_t t)
                         SNAPCUBE_LAMBDA { return hn::PromoteTo(d, hn::LoadU(df, tokens + c * pitch + t)); };
  auto longest = hn::Zero(d);
  each_vector([&](std::size_t t) SNAPCUBE_LAMBDA {
    auto squares = hn::Zero(d);
    for (std::size_t c = 0; c < width; ++c) {
      const auto e = token(c, t);
      squares = hn::MulAdd(e, e, squares);
    }
    longest = hn::Max(longest, squares);
    hn::StoreU(squares, d, scratch + t);
  });
  longest = hn::MaxOfLanes(d, longest);
  each_vector([&](std::size_t t) SNAPCUBE_LAMBDA {
    const auto extension = hn::Sqrt(hn::Sub(longest, hn::LoadU(d, scratch + t)));
    const auto alpha = [&](std::size_t c, std::size_t r)
                           SNAPCUBE_LAMBDA { return hn::Set(d, static_cast<double>(h.alpha[c * rounds + r])); };
    // Two rounds at a time share what is loaded.
    for (std::size_t r = 0; r < rounds; r += 2) {
      const std::size_t s = std::min(r + 1, rounds - 1);
      auto first = hn::Set(d, static_cast<double>(h.beta[r]));
      auto second = hn::Set(d, static_cast<double>(h.beta[s]));
      for (std::size_t c = 0; c < width; ++c) {
        const auto e = token(c, t);
        first = hn::MulAdd(e, alpha(c, r), first);
        second = hn::MulAdd(e, alpha(c, s), second);
      }
      first = hn::MulAdd(extension, alpha(width, r), first);
      second = hn::MulAdd(extension, alpha(width, s), second);
      hn::StoreU(hn::DemoteTo(df, h.floor ? hn::Floor(first) : first), df, codes + r * count + t);
      hn::StoreU(hn::DemoteTo(df, h.floor ? hn::Floor(second) : second), df, codes + s * count + t);
    }
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace snapcube::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <array>
#include <bit>
#include <utility>

namespace snapcube::kernels {

HWY_EXPORT(HashCodes);
void hash_codes(const float* tokens, std::size_t pitch, std::size_t count, const HashVectors& vectors, float* codes,
                double* scratch) {
  HWY_DYNAMIC_DISPATCH(HashCodes)(tokens, pitch, count, vectors, codes, scratch);
}

namespace {

/// Unsigned integers in the order of the floats; −0 and 0 are equal.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.0f);
  return bits ^ (bits >> 31 ? 0xFFFFFFFFu : 0x80000000u);
}

}  // namespace

// Radix sort, a byte at a time from the lowest; each pass keeps the order of equal bytes.
void sort_codes(const float* codes, std::size_t count, std::uint32_t* order, std::uint64_t* scratch) {
  std::array<std::array<std::uint32_t, 256>, 4> histograms{};
  std::uint64_t* from = scratch;
  std::uint64_t* to = scratch + count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t key = ordered_bits(codes[i]);
    from[i] = std::uint64_t{key} << 32 | i;
    for (unsigned digit = 0; digit < 4; ++digit) ++histograms[digit][key >> (8 * digit) & 255];
  }
  for (unsigned digit = 0; digit < 4; ++digit) {
    auto& start = histograms[digit];
    const unsigned shift = 32 + 8 * digit;
    if (count > 0 && start[from[0] >> shift & 255] == count) continue;
    std::uint32_t sum = 0;
    for (std::uint32_t& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < count; ++i) to[start[from[i] >> shift & 255]++] = from[i];
    std::swap(from, to);
  }
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(from[i]);
}

}  // namespace snapcube::kernels
#endif
