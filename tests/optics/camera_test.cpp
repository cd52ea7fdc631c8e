#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <omp.h>

#include <snapcube/camera.h>
#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_cube;
using testing::random_image;

struct Layout {
  const char* name;
  int height, width;
  CameraOptions options;
};

std::vector<Layout> setups() {
  return {
      {"published", 64, 48, {}},
      {"one pixel", 1, 1, {.bands = 1, .step = 2}},
      {"awkward", 13, 127, {.bands = 5, .step = 3}},
      {"negative step", 17, 31, {.bands = 7, .step = -2}},
      {"no dispersion", 9, 11, {.bands = 4, .step = 0}},
      {"along rows", 15, 13, {.bands = 6, .step = 2, .axis = Axis::rows}},
      {"negative along rows", 15, 13, {.bands = 6, .step = -1, .axis = Axis::rows}},
      {"prism", 16, 19, {.bands = 4, .offsets = {-3, 0, 2, 7}}},
      {"sub-pixel prism", 16, 19, {.bands = 4, .offsets = {0, 1.25, 3.5, 7.875}}},
      {"sub-pixel along rows", 16, 19, {.bands = 3, .axis = Axis::rows, .offsets = {5.5, 2.25, 0}}},
  };
}

double dot(std::span<const float> a, std::span<const float> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0, std::plus<>(),
                            [](float x, float y) { return static_cast<double>(x) * y; });
}

/// Every layout with one mask and with a mask per band, with all pixels alike and with weights (a quarter of them 0).
template <typename F>
void for_every_camera(const F& check) {
  for (const Layout& s : setups()) {
    for (const bool per_band : {false, true}) {
      for (const bool weighted : {false, true}) {
        Camera camera = per_band ? Camera(random_cube(s.options.bands, s.height, s.width, 1), s.options)
                                 : Camera(random_image(s.height, s.width, 1), s.options);
        if (weighted) {
          Image weights = random_image(camera.detector_height(), camera.detector_width(), 9);
          for (std::size_t i = 1; i < weights.size(); ++i) weights.data()[i] *= weights.data()[i] > 0.25f ? 3.0f : 0.0f;
          camera.set_weights(weights);
        }
        SCOPED_TRACE(std::string(s.name) + (per_band ? ", masks per band" : "") + (weighted ? ", weights" : ""));
        check(camera);
      }
    }
  }
}

TEST(Camera, EveryOperatorPassesTheAdjointTest) {
  for_every_camera([](const Camera& camera) {
    const Cube x = random_cube(camera.bands(), camera.height(), camera.width(), 2);
    const Image y = random_image(camera.detector_height(), camera.detector_width(), 3);
    const double masked = dot(camera.forward(x).values(), y.values());
    EXPECT_NEAR(masked, dot(x.values(), camera.adjoint(y).values()), 1e-6 * masked);
    const double plain = dot(camera.shift_sum(x).values(), y.values());
    EXPECT_NEAR(plain, dot(x.values(), camera.shift_back(y).values()), 1e-6 * plain);
  });
}

/// Row p of Φ: what the adjoint makes of one lit detector pixel. (ΦΦᵀ)_pq = Φ Φᵀ e_q.
TEST(Camera, DiagonalNeighboursAndRowSumsMatchTheMatrix) {
  for_every_camera([](const Camera& camera) {
    Image unit(camera.detector_height(), camera.detector_width());
    if (unit.size() * camera.bands() > 3000) return;
    const Image diagonal = camera.diagonal();
    const Image next = camera.off_diagonal();
    const Image sums = camera.row_sums();
    const bool whole = std::ranges::all_of(camera.offsets(), [](double o) { return o == std::floor(o); });
    const std::size_t step = camera.axis() == Axis::columns ? 1 : static_cast<std::size_t>(unit.width());
    for (std::size_t q = 0; q < unit.size(); ++q) {
      unit.data()[q] = 1;
      const Image column = camera.forward(camera.adjoint(unit));
      unit.data()[q] = 0;
      EXPECT_NEAR(diagonal.data()[q], column.data()[q], 1e-5);
      EXPECT_NEAR(sums.data()[q], std::accumulate(column.data(), column.data() + column.size(), 0.0), 1e-4);
      if (q + step < unit.size()) {
        EXPECT_NEAR(next.data()[q], column.data()[q + step], 1e-5);
        EXPECT_EQ(whole, whole && column.data()[q + step] == 0);
      }
      if (whole) {
        EXPECT_NEAR(sums.data()[q], diagonal.data()[q], 1e-5);
      }
    }
  });
}

TEST(Camera, MasksPerBandByHand) {
  Cube masks(2, 1, 2);
  std::ranges::copy(std::vector<float>{1, 0.5, 0, 2}, masks.data());
  masks.wavelengths = {500, 600};
  Camera camera(masks, {.step = 1});
  EXPECT_EQ(camera.bands(), 2);
  EXPECT_FALSE(camera.plain());
  EXPECT_EQ(camera.wavelengths(), masks.wavelengths);
  EXPECT_EQ(camera.mask(1)(0, 1), 2);
  EXPECT_EQ(camera.mask()(0, 0), 0.5f);  // the mean
  EXPECT_EQ(camera.mask()(0, 1), 1.25f);
  Cube x(2, 1, 2);
  std::ranges::copy(std::vector<float>{1, 2, 10, 20}, x.data());
  Image y = camera.forward(x);
  EXPECT_EQ(std::vector<float>(y.data(), y.data() + 3), (std::vector<float>{1, 1 + 0, 40}));

  Image weights(1, 3);
  weights(0, 0) = 4;
  weights(0, 2) = 1;
  camera.set_weights(weights);
  y = camera.forward(x);
  EXPECT_EQ(std::vector<float>(y.data(), y.data() + 3), (std::vector<float>{2, 0, 40}));
  Image raw(1, 3, 7.0f);
  camera.weigh(raw);
  EXPECT_EQ(std::vector<float>(raw.data(), raw.data() + 3), (std::vector<float>{14, 0, 7}));
  camera.set_weights({});
  EXPECT_FALSE(camera.weighted());
  EXPECT_EQ(camera.forward(x)(0, 1), 1);
}

TEST(Camera, EqualMasksPerBandAreOneMask) {
  const Image mask = random_image(9, 17, 1);
  Cube masks(5, 9, 17);
  for (int b = 0; b < 5; ++b) std::copy_n(mask.data(), mask.size(), masks.band(b));
  const Camera plain(mask, {.bands = 5});
  const Camera per_band(masks, {});
  const Cube x = random_cube(5, 9, 17, 2);
  EXPECT_TRUE(std::ranges::equal(plain.forward(x).values(), per_band.forward(x).values()));
  EXPECT_TRUE(std::ranges::equal(plain.mask().values(), per_band.mask().values()));
}

TEST(Camera, WhatHasNoWeightNeedsNoExplanation) {
  Camera camera(random_image(20, 30, 1), {.bands = 5});
  const Cube x = random_cube(5, 20, 30, 2);
  Image y = camera.forward(x);
  Image weights(y.height(), y.width(), 1.0f);
  weights(3, 4) = 0;
  y(3, 4) = 1000;
  EXPECT_GT(camera.misfit(x, y), 0.5);
  camera.set_weights(weights);
  EXPECT_NEAR(camera.misfit(x, y), 0, 1e-6);
}

TEST(Camera, RefusesWeightsThatAreNone) {
  Camera camera(Image(2, 2, 1.0f), {.bands = 3});
  EXPECT_EQ(error_of<InputError>([&] { camera.set_weights(Image(2, 2, 1.0f)); }),
            "camera: weights: expected 2×6, the detector's size, found 2×2");
  EXPECT_THROW(camera.set_weights(Image(2, 6, -1.0f)), InputError);
  EXPECT_THROW(camera.set_weights(Image(2, 6, std::nanf(""))), InputError);
  EXPECT_THROW(camera.set_weights(Image(2, 6, 0.0f)), InputError);
  EXPECT_THROW(Camera(Cube{}), InputError);
  EXPECT_THROW(Camera(Cube(2, 3, 3, -1.0f)), InputError);
  EXPECT_THROW(Camera(Cube(2, 3, 3, 1.0f), {.offsets = {0, 1, 2}}), InputError);
}

TEST(Camera, ForwardByHand) {
  Image mask(1, 3);
  mask(0, 0) = 1;
  mask(0, 1) = 0.5;
  mask(0, 2) = 0;
  const Camera camera(mask, {.bands = 2, .step = 1});
  Cube x(2, 1, 3);
  std::ranges::copy(std::vector<float>{1, 2, 3, 10, 20, 30}, x.data());
  const Image y = camera.forward(x);
  ASSERT_EQ(y.width(), 4);
  EXPECT_EQ(std::vector<float>(y.data(), y.data() + 4), (std::vector<float>{1, 1 + 10, 10, 0}));
}

TEST(Camera, MisfitIsTheSineBetweenMeasurementAndWhatTheCubeGives) {
  const Camera camera(random_image(20, 30, 1), {.bands = 5});
  Cube x = random_cube(5, 20, 30, 2);
  const Image seen = camera.forward(x);
  EXPECT_NEAR(camera.misfit(x, seen), 0, 1e-6);
  for (float& v : x.values()) v *= 7;
  EXPECT_NEAR(camera.misfit(x, seen), 0, 1e-6);  // of any scale

  // A part at a right angle to it, a tenth as long.
  Image off = random_image(camera.detector_height(), camera.detector_width(), 3);
  const double along = dot(off.values(), seen.values()) / dot(seen.values(), seen.values());
  for (std::size_t i = 0; i < off.size(); ++i) off.values()[i] -= static_cast<float>(along) * seen.values()[i];
  const double length = std::sqrt(dot(seen.values(), seen.values()) / dot(off.values(), off.values()));
  for (std::size_t i = 0; i < off.size(); ++i) {
    off.values()[i] = seen.values()[i] + static_cast<float>(0.1 * length) * off.values()[i];
  }
  EXPECT_NEAR(camera.misfit(x, off), 0.1 / std::sqrt(1.01), 1e-5);

  EXPECT_EQ(camera.misfit(Cube(5, 20, 30), seen), 1);
  EXPECT_TRUE(std::isnan(camera.misfit(x, Image(camera.detector_height(), camera.detector_width()))));
}

TEST(Camera, NegativeStepPutsTheFirstBandLast) {
  const Camera camera(Image(2, 2, 1.0f), {.bands = 3, .step = -2});
  EXPECT_EQ(camera.offsets(), (std::vector<double>{4, 2, 0}));
  EXPECT_EQ(camera.detector_width(), 6);
}

TEST(Camera, SubPixelOffsetsSplitTheLight) {
  const Camera camera(Image(1, 1, 1.0f), {.bands = 2, .offsets = {0, 0.25}});
  Cube x(2, 1, 1);
  x(1, 0, 0) = 8;
  const Image y = camera.forward(x);
  EXPECT_FLOAT_EQ(y(0, 0), 6);
  EXPECT_FLOAT_EQ(y(0, 1), 2);
}

TEST(Camera, SameBytesForEveryThreadCount) {
  const Camera camera(random_image(33, 65, 1), {.bands = 9, .step = 2});
  const Cube x = random_cube(9, 33, 65, 2);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  const Image one = camera.forward(x);
  for (const int n : {2, 3, 7}) {
    omp_set_num_threads(n);
    const Image many = camera.forward(x);
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(float)), 0) << n;
  }
  omp_set_num_threads(threads);
}

TEST(Camera, KnowsThePublishedWavelengths) {
  EXPECT_EQ(Camera(Image(4, 4, 1.0f)).wavelengths().size(), 28u);
  EXPECT_TRUE(Camera(Image(4, 4, 1.0f), {.bands = 12}).wavelengths().empty());
}

TEST(Camera, RefusesWhatCannotBeACamera) {
  EXPECT_THROW(Camera(Image{}), InputError);
  EXPECT_THROW(Camera(Image(2, 2, -1.0f)), InputError);
  EXPECT_THROW(Camera(Image(2, 2, std::nanf(""))), InputError);
  EXPECT_THROW(Camera(Image(2, 2, 1.0f), {.bands = 0}), InputError);
  EXPECT_THROW(Camera(Image(2, 2, 1.0f), {.bands = 3, .offsets = {0, 1}}), InputError);
  EXPECT_THROW(Camera(Image(2, 2, 1.0f), {.bands = 2, .offsets = {0, std::nan("")}}), InputError);
  EXPECT_THROW(Camera(Image(2, 2, 1.0f), {.bands = 3, .wavelengths = {500}}), InputError);
}

TEST(Camera, AMeasurementOfTheWrongSizeIsNamedWithBothSizes) {
  const Camera camera(Image(256, 256, 1.0f));
  const std::string message = error_of<InputError>([&] { camera.check_measurement(Image(256, 256), "shot.mat"); });
  EXPECT_EQ(message,
            "shot.mat: measurement: expected 256×310 (the mask's 256×256 and 54 pixels of dispersion along the "
            "columns), found 256×256");
}

}  // namespace
}  // namespace snapcube
