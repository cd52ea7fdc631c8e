#pragma once
// A batch of feature maps for training: rows of planar channels, [batch][height][channels][width], without padding:
// what a tensor of libtorch can be.

#include <cstddef>

namespace snapcube::gradients {

template <typename Float>
struct PlanesOf {
  Float* data = nullptr;
  int batch = 0;
  int height = 0;
  int channels = 0;
  int width = 0;

  Float* row(int sample, int y) const {
    return data + (static_cast<std::size_t>(sample) * height + y) * static_cast<std::size_t>(channels) * width;
  }
  std::size_t pitch() const { return static_cast<std::size_t>(width); }
};
using Planes = PlanesOf<float>;
using ConstPlanes = PlanesOf<const float>;

/// Floats before and behind what a row holds, so that neighbours can be read; also keeps channels apart in the caches.
constexpr int kMargin = 16;
/// Pitch of a row of `width` pixels and two margins, an odd number of cache lines.
inline std::size_t padded_pitch(int width) {
  return ((static_cast<std::size_t>(width + 2 * kMargin) + 15) / 16 | 1) * 16;
}

}  // namespace snapcube::gradients
