#include <vector>

#include <snapcube/error.h>
#include <snapcube/render.h>

#include "render/colour.h"
#include "render/linear_colour.h"

namespace snapcube {

LinearColour linear_colour(const Cube& cube) {
  if (static_cast<int>(cube.wavelengths.size()) != cube.bands() || cube.bands() == 0) {
    throw InputError("cube", "wavelengths", "one per band, to compute colours",
                     cube.wavelengths.empty() ? "none" : std::to_string(cube.wavelengths.size()));
  }
  const std::vector<Triple> weights = srgb_weights(cube.wavelengths);
  LinearColour colour{Image(cube.height(), cube.width()), Image(cube.height(), cube.width()),
                      Image(cube.height(), cube.width())};
#pragma omp parallel for schedule(static)
  for (int y = 0; y < cube.height(); ++y) {
    for (int b = 0; b < cube.bands(); ++b) {
      const float* in = cube.row(b, y);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto weight = static_cast<float>(weights[static_cast<std::size_t>(b)][k]);
        float* out = colour[k].row(y);
        for (int x = 0; x < cube.width(); ++x) out[x] += weight * in[x];
      }
    }
  }
  return colour;
}

Picture encode(const LinearColour& colour, double exposure) {
  Picture picture(colour[0].height(), colour[0].width());
#pragma omp parallel for schedule(static)
  for (int y = 0; y < picture.height; ++y) {
    std::uint8_t* out = picture.rgb.data() + std::size_t{3} * y * picture.width;
    for (int x = 0; x < picture.width; ++x) {
      for (std::size_t k = 0; k < 3; ++k) *out++ = encode_srgb_byte(exposure * colour[k](y, x));
    }
  }
  return picture;
}

Picture render_srgb(const Cube& cube, double exposure) { return encode(linear_colour(cube), exposure); }

}  // namespace snapcube
