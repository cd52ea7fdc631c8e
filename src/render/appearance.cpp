#include "render/appearance.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace snapcube {

double percentile(const Image& image, double share) {
  std::vector<float> values;
  for (const float v : image.values()) {
    if (std::isfinite(v)) values.push_back(v);
  }
  if (values.empty()) return 0;
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

bool has_colours(const Cube& cube) { return static_cast<int>(cube.wavelengths.size()) == cube.bands(); }

LinearColour colours_of(const Cube& cube) {
  if (has_colours(cube)) return linear_colour(cube);
  Image mean(cube.height(), cube.width());
  for (int b = 0; b < cube.bands(); ++b) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean.data()[i] += cube.band(b)[i] / static_cast<float>(cube.bands());
  }
  return {mean, mean, mean};
}

double automatic_exposure(const LinearColour& colour) {
  Image luminance(colour[0].height(), colour[0].width());
  for (std::size_t i = 0; i < luminance.size(); ++i) {
    luminance.data()[i] = 0.2126f * colour[0].data()[i] + 0.7152f * colour[1].data()[i] + 0.0722f * colour[2].data()[i];
  }
  const double bright = percentile(luminance, 0.995);
  if (!(bright > 1e-6)) return 1;
  const double exposure = 1 / bright;
  return exposure > 0.85 && exposure < 1.25 ? 1 : exposure;
}

double round_up(double value) {
  if (!(value > 1e-9)) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

Image mean_absolute_error(const Cube& cube, const Cube& truth) {
  Image error(cube.height(), cube.width());
#pragma omp parallel for schedule(static)
  for (int y = 0; y < cube.height(); ++y) {
    for (int b = 0; b < cube.bands(); ++b) {
      for (int x = 0; x < cube.width(); ++x) {
        error(y, x) += std::fabs(cube(b, y, x) - truth(b, y, x)) / static_cast<float>(cube.bands());
      }
    }
  }
  return error;
}

Picture tinted(const Image& values, double exposure, const Triple& tint) {
  Picture picture(values.height(), values.width());
  std::uint8_t* out = picture.rgb.data();
  for (const float v : values.values()) {
    for (const double c : tint) *out++ = encode_srgb_byte(exposure * v * c);
  }
  return picture;
}

}  // namespace snapcube
