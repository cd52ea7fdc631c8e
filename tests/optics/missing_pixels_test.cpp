#include "optics/missing_pixels.h"

#include <snapcube/mask.h>

#include "support.h"

namespace snapcube {
namespace {

/// Of an even scene every pixel is known exactly, whatever the mask lets through.
TEST(MissingPixels, AreAsBrightAsTheirSurroundings) {
  Camera camera(random_mask(40, 50, MaskKind::binary, 0.5, 1), {.bands = 6});
  const Image truth = camera.forward(Cube(6, 40, 50, 0.5f));
  Image weights(truth.height(), truth.width(), 4.0f);
  Image y = truth;
  for (const auto& [r, c] : {std::pair{0, 0}, {5, 7}, {5, 8}, {20, 30}, {21, 30}, {39, 59}}) {
    weights(r, c) = 0;
    y(r, c) = 99;
  }
  for (int c = 0; c < 60; ++c) weights(11, c) = 0;  // a dead row
  camera.set_weights(weights);
  camera.weigh(y);
  Image filled;
  fill_missing(y, camera, filled);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(filled.data()[i], truth.data()[i], 1e-5);
}

}  // namespace
}  // namespace snapcube
