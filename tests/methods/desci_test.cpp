#include <cmath>
#include <cstring>
#include <omp.h>

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;

const Reconstructor::Settings kFew = {{"iterations", "3"}, {"start-iterations", "20"}};

TEST(DeSci, IsBetterThanItsStart) {
  const Cube truth = make_scene("still-life", {.height = 64, .width = 64});
  const Camera camera(random_mask(64, 64, MaskKind::binary, 0.5, 1));
  const Image y = camera.forward(truth);
  const Cube start = Reconstructor::open("gap-tv").reconstruct(y, camera);
  const Cube cube = Reconstructor::open("desci", {{"iterations", "16"}}).reconstruct(y, camera);
  EXPECT_GT(psnr(cube, truth), psnr(start, truth) + 0.5);
  EXPECT_EQ(cube.wavelengths, camera.wavelengths());
}

TEST(DeSci, WorksForOtherCameras) {
  const Cube truth = make_scene("chart", {.height = 24, .width = 37, .wavelengths = even_wavelengths(450, 20, 9)});
  for (CameraOptions options : {CameraOptions{.bands = 9, .step = -3}, CameraOptions{.bands = 9, .axis = Axis::rows},
                                CameraOptions{.bands = 9, .offsets = {0, 1.5, 3.2, 5, 7, 9.3, 12, 14.5, 18}}}) {
    const Camera camera(random_mask(24, 37, MaskKind::grey, 0.5, 2), options);
    const Cube cube = Reconstructor::open("desci", kFew).reconstruct(camera.forward(truth), camera);
    EXPECT_GT(psnr(cube, truth), 20);
    for (const float v : cube.values()) ASSERT_TRUE(std::isfinite(v));
  }
}

TEST(DeSci, WorksForEverySize) {
  struct Size {
    int bands, height, width;
  };
  for (const Size s :
       {Size{1, 1, 1}, Size{28, 1, 1}, Size{4, 13, 40}, Size{3, 5, 4}, Size{2, 1, 17}, Size{31, 17, 2}}) {
    SCOPED_TRACE(::testing::Message() << s.bands << "×" << s.height << "×" << s.width);
    const Camera camera(Image(s.height, s.width, 1.0f), {.bands = s.bands});
    const Cube cube = Reconstructor::open("desci", kFew)
                          .reconstruct(camera.forward(testing::random_cube(s.bands, s.height, s.width, 1)), camera);
    EXPECT_EQ(cube.bands(), s.bands);
    EXPECT_EQ(cube.height(), s.height);
    EXPECT_EQ(cube.width(), s.width);
    for (const float v : cube.values()) ASSERT_TRUE(std::isfinite(v));
  }
}

TEST(DeSci, TheScaleOfTheMeasurementDoesNotMatter) {
  const Camera camera(random_mask(24, 24, MaskKind::binary, 0.5, 1), {.bands = 6});
  Image y = camera.forward(testing::random_cube(6, 24, 24, 1));
  const Cube bright = Reconstructor::open("desci", kFew).reconstruct(y, camera);
  for (float& v : y.values()) v /= 64;
  const Cube dark = Reconstructor::open("desci", kFew).reconstruct(y, camera);
  for (std::size_t i = 0; i < dark.size(); ++i) ASSERT_NEAR(64 * dark.data()[i], bright.data()[i], 1e-3);
}

TEST(DeSci, BlackFramesAndDarkMasksGiveFiniteValues) {
  Image mask = random_mask(16, 16, MaskKind::binary, 0.5, 1);
  for (int y = 0; y < 16; ++y) std::fill_n(mask.row(y), 8, 0.0f);
  const Camera camera(mask, {.bands = 3});
  const Cube black = Reconstructor::open("desci", kFew).reconstruct(Image(16, 20), camera);
  for (const float v : black.values()) EXPECT_EQ(v, 0);
  const Cube cube = Reconstructor::open("desci", kFew).reconstruct(camera.forward(Cube(3, 16, 16, 0.5f)), camera);
  for (const float v : cube.values()) ASSERT_TRUE(std::isfinite(v));
}

TEST(DeSci, SameBytesForEveryThreadCount) {
  const Camera camera(random_mask(37, 29, MaskKind::binary, 0.5, 1), {.bands = 5});
  const Image y = camera.forward(testing::random_cube(5, 37, 29, 1));
  const int threads = omp_get_max_threads();
  Cube first;
  for (const int n : {1, 2, 3}) {
    omp_set_num_threads(n);
    const Cube cube = Reconstructor::open("desci", kFew).reconstruct(y, camera);
    if (n == 1) first = cube;
    EXPECT_EQ(std::memcmp(first.data(), cube.data(), cube.size() * sizeof(float)), 0) << n;
  }
  omp_set_num_threads(threads);
}

TEST(DeSci, ReportsProgressWithTheCubeSoFar) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 3});
  const Image y = camera.forward(Cube(3, 16, 16, 0.5f));
  int last = 0;
  Reconstructor::open("desci", {{"iterations", "5"}}).reconstruct(y, camera, [&](const Progress& p) {
    EXPECT_EQ(p.total, 5);
    EXPECT_TRUE(p.iteration == last || p.iteration == last + 1);
    EXPECT_TRUE(p.estimate && p.estimate->bands() == 3 && p.estimate->width() == 16);
    last = p.iteration;
    return true;
  });
  EXPECT_EQ(last, 4);
}

TEST(DeSci, StopsWhenAsked) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 3});
  const Image y = camera.forward(Cube(3, 16, 16, 0.5f));
  for (const int at : {0, 2}) {  // while GAP-TV runs, and afterwards
    auto solver = Reconstructor::open("desci", {{"iterations", "5"}});
    EXPECT_THROW(solver.reconstruct(y, camera, [&](const Progress& p) { return p.iteration < at; }), Interrupted);
  }
}

TEST(DeSci, ParametersAreChecked) {
  EXPECT_EQ(error_of<InputError>([] {
              Reconstructor::open("desci", {{"patch", "33"}});
            }),
            "desci: parameter 'patch': expected a whole number from 1 to 32, found '33'");
  EXPECT_EQ(error_of<InputError>([] {
              Reconstructor::open("desci", {{"group", "0"}});
            }),
            "desci: parameter 'group': expected a whole number from 1 to 512, found '0'");
  EXPECT_EQ(error_of<InputError>([] {
              Reconstructor::open("desci", {{"first-noise", "0"}});
            }),
            "desci: parameter 'first-noise': expected a number of at least 1e-09, found '0'");
}

}  // namespace
}  // namespace snapcube
