#pragma once
// The attention transforms of TSA-Net.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace snapcube {

/// The linear layers over rows and columns tie the network to one frame size.
inline constexpr int kTsaSize = 256;
inline constexpr int kTsaHeads = 8;
inline constexpr float kTsaMaskScale = 1.1f;

struct TsaTransformForm {
  std::string name;
  int size;  ///< height and width of its map
  int inputs;
  int outputs;
  int spatial_width;
  int spectral_width;
  std::array<bool, 2> mode;  ///< whether the first and the second convolution of queries and keys halve the rows, too
  bool spectral_mask;
};

inline std::vector<TsaTransformForm> tsa_transforms(int bands) {
  return {{"transform3", 64, 256, 256, 64, 80, {false, false}, false},
          {"transform2", 128, 128, 128, 64, 40, {true, false}, false},
          {"transform1", 256, 64, bands, 48, 30, {true, true}, true}};
}

/// S[i][j] = (1 + cos(π(j − i)/(n − 1)))/2, row-major: near bands attend to each other more.
inline std::vector<float> tsa_spectral_mask(int n) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      values.push_back(static_cast<float>((1 + std::cos(std::numbers::pi * (j - i) / std::max(1, n - 1))) / 2));
    }
  }
  return values;
}

}  // namespace snapcube
