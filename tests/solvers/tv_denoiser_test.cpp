#include <cmath>
#include <cstring>
#include <omp.h>

#include "solvers/tv.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::random_cube;

constexpr TvKind kKinds[] = {TvKind::anisotropic, TvKind::isotropic, TvKind::vectorial, TvKind::nuclear};

double energy(const Cube& u, const Cube& f, double weight, TvDenoiser& denoiser) {
  double distance = 0;
  for (std::size_t i = 0; i < u.size(); ++i) distance += std::pow(static_cast<double>(u.data()[i]) - f.data()[i], 2);
  return distance / 2 + weight * denoiser.value(u);
}

TEST(TvDenoiser, TwoPixelsInClosedForm) {
  // ½(a−0)² + ½(b−1)² + w|b−a|: the pixels move towards each other by w, until they meet.
  for (const TvKind kind : kKinds) {
    for (const float weight : {0.1f, 0.3f, 2.0f}) {
      Cube x(1, 1, 2);
      x(0, 0, 1) = 1;
      TvDenoiser(1, 1, 2, kind).denoise(x, weight, 2000);
      const float moved = std::min(weight, 0.5f);
      EXPECT_NEAR(x(0, 0, 0), moved, 1e-4);
      EXPECT_NEAR(x(0, 0, 1), 1 - moved, 1e-4);
    }
  }
}

TEST(TvDenoiser, CoupledBandsMoveTogether) {
  // Two bands with parallel edges of height 3 and 4: ‖J‖ = 5 for both coupled kinds, so they shrink by w·(3, 4)/5.
  for (const TvKind kind : {TvKind::vectorial, TvKind::nuclear}) {
    Cube x(2, 1, 2);
    x(0, 0, 1) = 3;
    x(1, 0, 1) = 4;
    TvDenoiser(2, 1, 2, kind).denoise(x, 0.5f, 4000);
    EXPECT_NEAR(x(0, 0, 0), 0.3, 1e-3);
    EXPECT_NEAR(x(1, 0, 0), 0.4, 1e-3);
  }
}

TEST(TvDenoiser, NoPerturbationOfTheResultHasLessEnergy) {
  for (const TvKind kind : kKinds) {
    const Cube f = random_cube(3, 9, 7, 1);
    Cube u = f;
    TvDenoiser denoiser(3, 9, 7, kind);
    denoiser.denoise(u, 0.2f, 5000);
    const double least = energy(u, f, 0.2, denoiser);
    EXPECT_LT(least, energy(f, f, 0.2, denoiser));
    Random random(2);
    for (int trial = 0; trial < 200; ++trial) {
      Cube other = u;
      const double size = std::pow(10.0, -random.uniform(1, 3));
      if (trial % 2 == 0) {
        for (float& v : other.values()) v += static_cast<float>(size * random.normal());
      } else {
        other.data()[random.below(static_cast<std::uint32_t>(other.size()))] += static_cast<float>(size);
      }
      EXPECT_GT(energy(other, f, 0.2, denoiser), least - 2e-5);
    }
  }
}

TEST(TvDenoiser, ContinuesWhereItEnded) {
  const Cube f = random_cube(2, 16, 16, 3);
  Cube once = f;
  TvDenoiser(2, 16, 16, TvKind::nuclear).denoise(once, 0.3f, 40);
  TvDenoiser in_parts(2, 16, 16, TvKind::nuclear);
  Cube parts = f;
  for (int i = 0; i < 8; ++i) {
    parts = f;
    in_parts.denoise(parts, 0.3f, 5);
  }
  EXPECT_EQ(std::memcmp(once.data(), parts.data(), once.size() * sizeof(float)), 0);
}

TEST(TvDenoiser, FlatCubesAndSinglePixelsStay) {
  for (const TvKind kind : kKinds) {
    Cube flat(3, 5, 4, 0.7f);
    TvDenoiser(3, 5, 4, kind).denoise(flat, 1.0f, 10);
    for (const float v : flat.values()) EXPECT_EQ(v, 0.7f);
    Cube pixel(5, 1, 1, 0.3f);
    TvDenoiser(5, 1, 1, kind).denoise(pixel, 1.0f, 10);
    for (const float v : pixel.values()) EXPECT_EQ(v, 0.3f);
  }
}

TEST(TvDenoiser, SameBytesForEveryThreadCount) {
  const int threads = omp_get_max_threads();
  for (const TvKind kind : kKinds) {
    std::vector<Cube> results;
    for (const int n : {1, 2, 3, 5, 40}) {
      omp_set_num_threads(n);
      Cube x = random_cube(3, 13, 127, 4);
      TvDenoiser(3, 13, 127, kind).denoise(x, 0.1f, 7);
      results.push_back(x);
      EXPECT_EQ(std::memcmp(results[0].data(), x.data(), x.size() * sizeof(float)), 0) << n << " threads";
    }
  }
  omp_set_num_threads(threads);
}

TEST(TvDenoiser, ValueByHand) {
  Cube x(2, 2, 2);  // both bands: 0 1 / 2 0, the second doubled
  x(0, 0, 1) = 1;
  x(0, 1, 0) = 2;
  x(1, 0, 1) = 2;
  x(1, 1, 0) = 4;
  // Gradients of band 0: (1,2) at the corner, (−2,·) below, (·,−1) at the right; band 1 twice that.
  const double corner = std::sqrt(5.0);
  EXPECT_NEAR(TvDenoiser(2, 2, 2, TvKind::anisotropic).value(x), 3 * (3 + 2 + 1), 1e-6);
  EXPECT_NEAR(TvDenoiser(2, 2, 2, TvKind::isotropic).value(x), 3 * (corner + 2 + 1), 1e-5);
  // Proportional bands make J of rank one: its only singular value is the Frobenius norm.
  EXPECT_NEAR(TvDenoiser(2, 2, 2, TvKind::vectorial).value(x), std::sqrt(5.0) * (corner + 2 + 1), 1e-5);
  EXPECT_NEAR(TvDenoiser(2, 2, 2, TvKind::nuclear).value(x), std::sqrt(5.0) * (corner + 2 + 1), 1e-2);
}

}  // namespace
}  // namespace snapcube
