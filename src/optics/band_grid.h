#pragma once
// Between the bands of a camera and those of a network that has its own number of them: channels of the network are
// spread evenly over the camera's range on the detector, and values between bands are interpolated.

#include <span>
#include <vector>

namespace snapcube {

struct BandGrid {
  int bands = 0;     ///< of the camera
  int channels = 0;  ///< of the network
  /// The camera's bands are the network's channels: both matrices are the identity.
  bool is_identity = false;
  std::vector<float> to_channels = {};  ///< [channels][bands]
  std::vector<float> to_bands = {};     ///< [bands][channels]
};

/// `positions`: of the camera's bands on the detector, in pixels, rising or falling throughout. Where they are all the
/// same, or there is one band, bands are spread by their number instead.
BandGrid band_grid(std::span<const double> positions, int channels);

}  // namespace snapcube
