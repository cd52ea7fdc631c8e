#include "calibration/mask_scale.h"

#include <algorithm>
#include <vector>

namespace snapcube {

double scale_masks(Cube& masks) {
  const int bands = masks.bands();
  std::vector<double> means;
  double mean = 0;
  for (int b = 0; b < bands; ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < masks.band_size(); ++i) sum += masks.band(b)[i];
    means.push_back(sum / static_cast<double>(masks.band_size()));
    mean += means.back() / bands;
  }
  std::vector<float> average(masks.band_size());
  for (int b = 0; b < bands; ++b) {
    const auto factor = static_cast<float>(mean / std::max(means[static_cast<std::size_t>(b)], 1e-30));
    for (std::size_t i = 0; i < masks.band_size(); ++i) {
      masks.band(b)[i] *= factor;
      average[i] += masks.band(b)[i] / static_cast<float>(bands);
    }
  }
  const auto place = average.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(average.size()));
  std::ranges::nth_element(average, place);
  const float unit = *place;
  if (unit > 0) {
    for (float& v : masks.values()) v /= unit;
  }
  return unit;
}

Image transposed(const Image& image) {
  Image result(image.width(), image.height());
  for (int y = 0; y < image.height(); ++y) {
    for (int x = 0; x < image.width(); ++x) result(x, y) = image(y, x);
  }
  return result;
}

Cube transposed(const Cube& cube) {
  Cube result(cube.bands(), cube.width(), cube.height());
  result.wavelengths = cube.wavelengths;
  for (int b = 0; b < cube.bands(); ++b) {
    for (int y = 0; y < cube.height(); ++y) {
      for (int x = 0; x < cube.width(); ++x) result(b, x, y) = cube(b, y, x);
    }
  }
  return result;
}

}  // namespace snapcube
