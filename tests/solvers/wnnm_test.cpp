#include "solvers/wnnm.h"

#include <cmath>
#include <cstring>
#include <omp.h>
#include <stdexcept>

#include <snapcube/metrics.h>

#include "support.h"

namespace snapcube {
namespace {

/// A texture that repeats itself, of two spectra: what the prior expects.
Cube self_similar(int bands, int height, int width) {
  Cube cube(bands, height, width);
  for (int b = 0; b < bands; ++b) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        const bool stripe = (x + y) % 8 < 4;
        const double spectrum = stripe ? 0.2 + 0.05 * b : 0.7 - 0.04 * b;
        cube(b, y, x) = static_cast<float>(spectrum * (1 + 0.2 * std::sin(0.8 * y)));
      }
    }
  }
  return cube;
}

Cube with_noise(Cube cube, double deviation, std::uint64_t seed) {
  Random random(seed);
  for (float& v : cube.values()) v += static_cast<float>(deviation * random.normal());
  return cube;
}

constexpr PatchOptions kPatches{.patch = 5, .stride = 3, .window = 8, .group = 24};

TEST(WnnmDenoiser, RemovesNoiseFromASelfSimilarCube) {
  const Cube truth = self_similar(6, 40, 33);
  const Cube noisy = with_noise(truth, 0.1, 1);
  Cube both = noisy;
  WnnmDenoiser(6, 40, 33, kPatches).denoise(both, {0.1, 3, 3}, true);
  EXPECT_GT(psnr(both, truth), psnr(noisy, truth) + 8);
  // Each of the two matrices helps, also alone.
  for (const Shrinkage one : {Shrinkage{0.1, 0, 3}, Shrinkage{0.1, 3, 0}}) {
    Cube half = noisy;
    WnnmDenoiser(6, 40, 33, kPatches).denoise(half, one, true);
    EXPECT_GT(psnr(half, truth), psnr(noisy, truth) + 2);
  }
}

TEST(WnnmDenoiser, WithoutNoiseNothingChanges) {
  struct Size {
    int bands, height, width;
  };
  for (const Size s : {Size{1, 1, 1}, Size{3, 13, 40}, Size{9, 4, 5}, Size{2, 1, 30}, Size{28, 9, 9}}) {
    const Cube x = testing::random_cube(s.bands, s.height, s.width, 2);
    Cube same = x;
    WnnmDenoiser(s.bands, s.height, s.width, {}).denoise(same, {0, 3, 3}, true);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(same.data()[i], x.data()[i], 5e-6);
  }
}

TEST(WnnmDenoiser, SameBytesForEveryThreadCount) {
  const Cube noisy = with_noise(self_similar(5, 31, 45), 0.1, 3);
  const int threads = omp_get_max_threads();
  Cube first;
  for (const int n : {1, 2, 3, 7}) {
    omp_set_num_threads(n);
    Cube x = noisy;
    WnnmDenoiser denoiser(5, 31, 45, kPatches);
    denoiser.denoise(x, {0.1, 3, 3}, true);
    denoiser.denoise(x, {0.05, 3, 3}, false);
    if (n == 1) first = x;
    EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(float)), 0) << n;
  }
  omp_set_num_threads(threads);
}

TEST(WnnmDenoiser, KeepsItsGroupsUntilAskedToRegroup) {
  const Cube one = with_noise(self_similar(3, 24, 24), 0.1, 4);
  const Cube other = testing::random_cube(3, 24, 24, 5);
  const auto denoised = [&](bool regroup) {
    WnnmDenoiser denoiser(3, 24, 24, kPatches);
    Cube x = one;
    denoiser.denoise(x, {0.1, 3, 3}, true);
    x = other;
    denoiser.denoise(x, {0.1, 3, 3}, regroup);
    return x;
  };
  Cube fresh = other;
  WnnmDenoiser(3, 24, 24, kPatches).denoise(fresh, {0.1, 3, 3}, false);  // the first call matches anyway
  const Cube anew = denoised(true);
  const Cube kept = denoised(false);
  EXPECT_EQ(std::memcmp(anew.data(), fresh.data(), fresh.size() * sizeof(float)), 0);
  EXPECT_NE(std::memcmp(kept.data(), fresh.data(), fresh.size() * sizeof(float)), 0);
}

TEST(WnnmDenoiser, PausesOftenAndCanBeLeft) {
  const Cube noisy = with_noise(self_similar(2, 64, 64), 0.1, 6);
  Cube x = noisy;
  WnnmDenoiser denoiser(2, 64, 64, kPatches);
  int calls = 0;
  EXPECT_THROW(denoiser.denoise(x, {0.1, 3, 3}, true,
                                [&] {
                                  if (++calls == 3) throw std::runtime_error("enough");
                                }),
               std::runtime_error);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(std::memcmp(x.data(), noisy.data(), x.size() * sizeof(float)), 0);
  // It can be used again, and matches what was left out.
  denoiser.denoise(x, {0.1, 3, 3}, false);
  Cube fresh = noisy;
  WnnmDenoiser(2, 64, 64, kPatches).denoise(fresh, {0.1, 3, 3}, true);
  EXPECT_EQ(std::memcmp(x.data(), fresh.data(), x.size() * sizeof(float)), 0);
}

}  // namespace
}  // namespace snapcube
