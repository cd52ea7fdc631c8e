#include <algorithm>
#include <cmath>
#include <cstring>
#include <omp.h>

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;

Cube test_scene(int size) { return make_scene("still-life", {.height = size, .width = size}); }

class EverySolver : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Solvers, EverySolver, ::testing::Values("gap-tv", "twist"),
                         [](const auto& p) { return p.param == "gap-tv" ? "GapTv" : "Twist"; });

TEST_P(EverySolver, ReconstructsAScene) {
  const Cube truth = test_scene(96);
  const Camera camera(random_mask(96, 96, MaskKind::binary, 0.5, 1));
  const Cube cube = Reconstructor::open(GetParam()).reconstruct(camera.forward(truth), camera);
  const Cube naive = camera.adjoint(camera.forward(truth));
  EXPECT_GT(psnr(cube, truth), 20);
  EXPECT_GT(psnr(cube, truth), psnr(naive, truth) + 5);
  EXPECT_EQ(cube.wavelengths, camera.wavelengths());
}

TEST_P(EverySolver, WorksForOtherCameras) {
  const Cube truth = make_scene("chart", {.height = 48, .width = 61, .wavelengths = even_wavelengths(450, 20, 9)});
  for (CameraOptions options : {CameraOptions{.bands = 9, .step = -3}, CameraOptions{.bands = 9, .axis = Axis::rows},
                                CameraOptions{.bands = 9, .offsets = {0, 1.5, 3.2, 5, 7, 9.3, 12, 14.5, 18}}}) {
    const Camera camera(random_mask(48, 61, MaskKind::grey, 0.5, 2), options);
    const Cube cube = Reconstructor::open(GetParam()).reconstruct(camera.forward(truth), camera);
    EXPECT_GT(psnr(cube, truth), 22);
    for (const float v : cube.values()) ASSERT_TRUE(std::isfinite(v));
  }
}

/// Masks that differ from band to band: with the mean of them the cube is worse.
TEST_P(EverySolver, UsesTheMaskOfEachBand) {
  const Cube truth = make_scene("chart", {.height = 48, .width = 61, .wavelengths = even_wavelengths(450, 20, 9)});
  Cube masks(9, 48, 61);
  for (int b = 0; b < 9; ++b) {
    const Image mask = random_mask(48, 61, MaskKind::binary, 0.5, b < 5 ? 1 : 2);
    std::copy_n(mask.data(), mask.size(), masks.band(b));
  }
  const Camera camera(masks, {.step = 2});
  const Image y = camera.forward(truth);
  const Cube cube = Reconstructor::open(GetParam()).reconstruct(y, camera);
  const Cube mean = Reconstructor::open(GetParam()).reconstruct(y, Camera(camera.mask(), {.bands = 9, .step = 2}));
  EXPECT_GT(psnr(cube, truth), 22);
  EXPECT_GT(psnr(cube, truth), psnr(mean, truth) + 3);
}

/// One pixel in fifty shows nonsense. With weights of 0 they cost little.
TEST_P(EverySolver, LeavesOutPixelsWithoutWeight) {
  const Cube truth = test_scene(96);
  Camera camera(random_mask(96, 96, MaskKind::binary, 0.5, 1));
  Image y = camera.forward(truth);
  const double clean = psnr(Reconstructor::open(GetParam()).reconstruct(y, camera), truth);
  Image weights(y.height(), y.width(), 1.0f);
  for (std::size_t i = 0; i < y.size(); i += 53) {
    y.data()[i] = 50;
    weights.data()[i] = 0;
  }
  const double spoiled = psnr(Reconstructor::open(GetParam()).reconstruct(y, camera), truth);
  camera.set_weights(weights);
  const double weighed = psnr(Reconstructor::open(GetParam()).reconstruct(y, camera), truth);
  EXPECT_LT(spoiled, clean - 3);
  EXPECT_GT(weighed, clean - 0.5);
}

TEST_P(EverySolver, TheScaleOfTheMeasurementDoesNotMatter) {
  const Cube truth = test_scene(32);
  const Camera camera(random_mask(32, 32, MaskKind::binary, 0.5, 1));
  Image y = camera.forward(truth);
  const Cube bright = Reconstructor::open(GetParam()).reconstruct(y, camera);
  for (float& v : y.values()) v /= 64;
  const Cube dark = Reconstructor::open(GetParam()).reconstruct(y, camera);
  for (std::size_t i = 0; i < dark.size(); ++i) ASSERT_NEAR(64 * dark.data()[i], bright.data()[i], 1e-3);
}

TEST_P(EverySolver, ABlackFrameShowsABlackScene) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 3});
  const Cube cube = Reconstructor::open(GetParam()).reconstruct(Image(16, 20), camera);
  for (const float v : cube.values()) EXPECT_EQ(v, 0);
}

TEST_P(EverySolver, AMaskWithDarkPartsGivesFiniteValues) {
  Image mask = random_mask(24, 24, MaskKind::binary, 0.5, 1);
  for (int y = 0; y < 24; ++y) std::fill_n(mask.row(y), 12, 0.0f);
  const Camera camera(mask, {.bands = 2});
  const Cube truth(2, 24, 24, 0.5f);
  const Cube cube = Reconstructor::open(GetParam()).reconstruct(camera.forward(truth), camera);
  for (const float v : cube.values()) ASSERT_TRUE(std::isfinite(v));
}

TEST_P(EverySolver, SameBytesForEveryThreadCount) {
  const Camera camera(random_mask(37, 29, MaskKind::binary, 0.5, 1), {.bands = 5});
  const Image y = camera.forward(testing::random_cube(5, 37, 29, 1));
  const int threads = omp_get_max_threads();
  Cube first;
  for (const int n : {1, 2, 3}) {
    omp_set_num_threads(n);
    const Cube cube = Reconstructor::open(GetParam(), {{"iterations", "12"}}).reconstruct(y, camera);
    if (n == 1) first = cube;
    EXPECT_EQ(std::memcmp(first.data(), cube.data(), cube.size() * sizeof(float)), 0) << n;
  }
  omp_set_num_threads(threads);
}

TEST_P(EverySolver, ToleranceStopsEarly) {
  const Camera camera(random_mask(32, 32, MaskKind::binary, 0.5, 1));
  const Image y = camera.forward(test_scene(32));
  int calls = 0;
  auto solver = Reconstructor::open(GetParam(), {{"tolerance", "0.05"}, {"iterations", "500"}});
  solver.reconstruct(y, camera, [&](const Progress& p) { return calls = p.iteration, true; });
  EXPECT_GT(calls, 1);
  EXPECT_LT(calls, 400);
}

TEST_P(EverySolver, ReportsProgressAndStopsWhenAsked) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 3});
  const Image y = camera.forward(Cube(3, 16, 16, 0.5f));
  std::vector<Progress> seen;
  auto solver = Reconstructor::open(GetParam(), {{"iterations", "10"}});
  EXPECT_THROW(solver.reconstruct(y, camera, [&](const Progress& p) { return seen.push_back(p), seen.size() < 4; }),
               Interrupted);
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[3].iteration, 3);
  EXPECT_EQ(seen[3].total, 10);
  EXPECT_LT(seen[3].residual, seen[0].residual);
  for (const Progress& p : seen) EXPECT_TRUE(p.estimate) << "the cube so far";
}

TEST(Solvers, UnknownMethodsAndParametersAreNamed) {
  EXPECT_EQ(error_of<InputError>([] { Reconstructor::open("gaptv"); }),
            "method 'gaptv': not known; the methods are gap-tv, twist, desci, and models (a name or a file)");
  EXPECT_EQ(error_of<InputError>([] {
              Reconstructor::open("gap-tv", {{"iterations", "-3"}});
            }),
            "gap-tv: parameter 'iterations': expected a whole number of at least 1, found '-3'");
  EXPECT_EQ(error_of<InputError>([] {
              Reconstructor::open("gap-tv", {{"tv", "best"}});
            }),
            "gap-tv: parameter 'tv': expected one of nuclear, vectorial, isotropic, anisotropic, found 'best'");
  const std::string unknown = error_of<InputError>([] { Reconstructor::open("twist", {{"speed", "1"}}); });
  EXPECT_NE(unknown.find("found 'speed'"), std::string::npos) << unknown;
}

TEST(Solvers, AWrongMeasurementIsRefused) {
  const Camera camera(Image(8, 8, 1.0f));
  EXPECT_THROW(Reconstructor::open("gap-tv").reconstruct(Image(8, 8), camera), InputError);
}

TEST(Solvers, CouplingTheBandsHelps) {
  const Cube truth = test_scene(96);
  const Camera camera(random_mask(96, 96, MaskKind::binary, 0.5, 1));
  const Image y = camera.forward(truth);
  const auto with = [&](const char* tv) {
    return psnr(Reconstructor::open("gap-tv", {{"tv", tv}}).reconstruct(y, camera), truth);
  };
  EXPECT_GT(with("nuclear"), with("isotropic") + 1);
}

}  // namespace
}  // namespace snapcube
