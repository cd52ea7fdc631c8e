// The camera against the published forward model.

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

TEST(Golden, Cassi) {
  const std::string file = testing::data_file("golden/cassi_rows.npz");
  const ReadOptions bands_first{.layout = CubeLayout::bands_height_width};
  const Cube cube = read_cube(file + ":cube", bands_first);
  const Camera camera(read_mask(file + ":mask"));
  const Image y = camera.forward(cube);
  const Image expected = read_measurement(file + ":measurement");
  ASSERT_EQ(y.width(), expected.width());
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y.data()[i], expected.data()[i], 2e-6f);
  const Cube back = camera.shift_back(expected);
  const Cube expected_back = read_cube(file + ":shifted_back", bands_first);
  for (std::size_t i = 0; i < back.size(); ++i) ASSERT_NEAR(back.data()[i] * 2 / 28, expected_back.data()[i], 1e-6);
}

}  // namespace
}  // namespace snapcube
