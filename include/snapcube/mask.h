#pragma once
/// Coded apertures: random ones, and a check whether a mask can be used.
///
/// Thread safety: any thread may call these functions at any time.

#include <cstdint>
#include <string>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

enum class MaskKind { binary, grey };

/// Independent pixels. binary: 1 with probability `density`, else 0. grey: uniform in [0, 2·density] for
/// density ≤ 0.5 and in [2·density − 1, 1] above, so that the mean is the density in both cases.
/// Throws InputError unless both sizes are at least 1 and 0 < density < 1.
Image random_mask(int height, int width, MaskKind kind, double density, std::uint64_t seed);

/// What a mask is like, and whether a reconstruction can work with it.
struct MaskReport {
  double minimum = 0;
  double maximum = 0;
  double mean = 0;
  double deviation = 0;
  /// Share of pixels above half of the maximum.
  double open_share = 0;
  /// Only two values occur, whichever they are.
  bool binary = false;
  bool usable = false;
  /// Plain sentences on what makes it unusable, or what is unusual. Empty if there is nothing to say.
  std::vector<std::string> findings;
};

MaskReport inspect_mask(const Image& mask);

}  // namespace snapcube
