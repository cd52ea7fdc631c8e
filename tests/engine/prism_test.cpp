#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include <snapcube/camera.h>
#include <snapcube/mask.h>

#include "engine/prism_network.h"
#include "engine/random_weights.h"
#include "models/networks.h"

namespace snapcube::engine {
namespace {

PrismNetwork small_prism(int bands = 4) {
  ModelConfig config = network_config("prism-s");
  config.bands = bands;
  config.wavelengths.clear();
  return PrismNetwork(random_weights(config, 1));
}

Image noise(int height, int width, std::uint64_t seed) {
  Image image = random_mask(height, width, MaskKind::grey, 0.5, seed);
  for (float& v : image.values()) v += 0.1f;
  return image;
}

struct Result {
  Cube cube;
  Image error;
};

Result run(PrismNetwork& network, const Image& y, const Camera& camera, int threads = 1, int most_rows = 1 << 20) {
  CanonicalCapture capture;
  capture.take(y, camera);
  Result result{Cube(camera.bands(), camera.height(), camera.width()), Image(camera.height(), camera.width())};
  network.run(capture, threads, most_rows, result.cube, &result.error);
  return result;
}

double difference(std::span<const float> a, std::span<const float> b) {
  double squares = 0;
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (a[i] - b[i]) * (a[i] - b[i]);
    size += b[i] * b[i];
  }
  return std::sqrt(squares / size);
}

TEST(PrismNetwork, TurnedCamerasAreTheSameCamera) {
  auto network = small_prism();
  constexpr int kHeight = 11;
  constexpr int kWidth = 14;
  const Image mask = noise(kHeight, kWidth, 1);
  const std::vector<double> offsets = {0, 1.25, 3, 5.5};
  const Camera camera(mask, {.bands = 4, .offsets = offsets});
  const Image y = noise(camera.detector_height(), camera.detector_width(), 2);
  const Cube expected = run(network, y, camera).cube;

  Image turned_mask(kWidth, kHeight);
  Image turned(y.width(), y.height());
  for (int r = 0; r < kHeight; ++r) {
    for (int i = 0; i < kWidth; ++i) turned_mask(i, r) = mask(r, i);
    for (int i = 0; i < y.width(); ++i) turned(i, r) = y(r, i);
  }
  const Camera rows(turned_mask, {.bands = 4, .axis = Axis::rows, .offsets = offsets});
  const Cube cube = run(network, turned, rows).cube;
  for (int b = 0; b < 4; ++b) {
    for (int r = 0; r < kHeight; ++r) {
      for (int i = 0; i < kWidth; ++i) EXPECT_EQ(cube.row(b, i)[r], expected.row(b, r)[i]);
    }
  }
}

TEST(PrismNetwork, NegativeStepsAreMirrored) {
  auto network = small_prism();
  constexpr int kWidth = 12;
  const Image mask = noise(8, kWidth, 3);
  const Camera rising(mask, {.bands = 4, .step = 2});
  const Image y = noise(8, rising.detector_width(), 4);
  const Cube expected = run(network, y, rising).cube;
  Image mirrored_mask(8, kWidth);
  Image mirrored(8, y.width());
  for (int r = 0; r < 8; ++r) {
    for (int i = 0; i < kWidth; ++i) mirrored_mask(r, i) = mask(r, kWidth - 1 - i);
    for (int i = 0; i < y.width(); ++i) mirrored(r, i) = y(r, y.width() - 1 - i);
  }
  const Cube cube = run(network, mirrored, Camera(mirrored_mask, {.bands = 4, .step = -2})).cube;
  for (int b = 0; b < 4; ++b) {
    for (int r = 0; r < 8; ++r) {
      for (int i = 0; i < kWidth; ++i) EXPECT_EQ(cube.row(b, r)[kWidth - 1 - i], expected.row(b, r)[i]);
    }
  }
}

TEST(PrismNetwork, SameBytesForEveryNumberOfThreads) {
  auto network = small_prism();
  const Camera camera(noise(37, 50, 5), {.bands = 5, .step = 2});
  const Image y = noise(37, camera.detector_width(), 6);
  const Result one = run(network, y, camera, 1);
  for (const int threads : {2, 3, 5}) {
    const Result more = run(network, y, camera, threads);
    EXPECT_TRUE(std::ranges::equal(more.cube.values(), one.cube.values())) << threads;
    EXPECT_TRUE(std::ranges::equal(more.error.values(), one.error.values())) << threads;
  }
}

TEST(PrismNetwork, SlabsAgreeWithTheWholeFrame) {
  auto network = small_prism();
  constexpr int kHeight = 1001;
  const Camera camera(noise(kHeight, 20, 7), {.bands = 4, .step = 2});
  const Image y = noise(kHeight, camera.detector_width(), 8);
  const Result whole = run(network, y, camera);
  for (const int rows : {400, 501, 999}) {
    const Result slabs = run(network, y, camera, 2, rows);
    EXPECT_LT(difference(slabs.cube.values(), whole.cube.values()), 1e-3) << rows;  // 60 dB
    EXPECT_LT(difference(slabs.error.values(), whole.error.values()), 1e-3) << rows;
  }
}

TEST(PrismNetwork, AFrameThatMayBeWholeIsWhole) {
  auto network = small_prism();
  constexpr int kHeight = 203;  // no multiple of four
  const Camera camera(noise(kHeight, 8, 7), {.bands = 4, .step = 2});
  const Image y = noise(kHeight, camera.detector_width(), 8);
  const Result whole = run(network, y, camera);
  const Result just = run(network, y, camera, 1, kHeight);
  EXPECT_TRUE(std::ranges::equal(just.cube.values(), whole.cube.values()));
}

TEST(PrismNetwork, WhatCannotBeSeenIsFinite) {
  auto network = small_prism();
  Image mask = noise(9, 16, 9);
  std::fill_n(mask.row(2), 16, 0.0f);
  Camera camera(mask, {.bands = 4, .step = 2});
  Image y = noise(9, camera.detector_width(), 10);
  Image weights(9, camera.detector_width(), 1.0f);
  std::fill_n(weights.row(4), weights.width(), 0.0f);
  camera.set_weights(weights);
  const auto finite = [&] {
    const Result result = run(network, y, camera);
    return std::ranges::all_of(result.cube.values(), [](float v) { return std::isfinite(v); }) &&
           std::ranges::all_of(result.error.values(), [](float v) { return std::isfinite(v); });
  };
  EXPECT_TRUE(finite());
  std::ranges::fill(y.values(), 0.0f);
  EXPECT_TRUE(finite());
}

TEST(PrismNetwork, UnitsOfTheMeasurementAreThoseOfTheCube) {
  auto network = small_prism();
  const Camera camera(noise(16, 24, 11), {.bands = 4, .step = 2});
  Image y = noise(16, camera.detector_width(), 12);
  const Result once = run(network, y, camera);
  for (float& v : y.values()) v *= 137;
  Result scaled = run(network, y, camera);
  for (float& v : scaled.cube.values()) v /= 137;
  for (float& v : scaled.error.values()) v /= 137;
  EXPECT_LT(difference(scaled.cube.values(), once.cube.values()), 1e-5);
  EXPECT_LT(difference(scaled.error.values(), once.error.values()), 1e-5);
}

}  // namespace
}  // namespace snapcube::engine
