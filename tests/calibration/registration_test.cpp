// Registration: images whose motion is known.

#include "calibration/registration.h"

#include <cmath>

#include "calibration/alignment.h"
#include "calibration/fourier.h"
#include "calibration/phase_correlation.h"
#include "calibration/sampling.h"
#include "support.h"

namespace snapcube {
namespace {

/// Waves of many directions: exact at every place. Values near 0.
Image waves(int height, int width, const Similarity& motion, double noise, std::uint64_t seed) {
  Image image(height, width);
  const Place centre{(width - 1) / 2.0, (height - 1) / 2.0};
  struct Wave {
    double u, v, phase;
  };
  std::vector<Wave> all;
  Random random(5);
  for (int i = 0; i < 60; ++i) {
    all.push_back({random.uniform(-1.6, 1.6), random.uniform(-1.6, 1.6), random.uniform(0, 6.28)});
  }
  Random noises(seed);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const Place p = motion.undo({static_cast<double>(x), static_cast<double>(y)}, centre);
      double sum = noise * noises.normal();
      for (const Wave& w : all) sum += 0.1 * std::sin(w.u * p.x + w.v * p.y + w.phase);
      image(y, x) = static_cast<float>(sum);
    }
  }
  return image;
}

TEST(Fourier, IsTheSumOfTheDefinitionAndComesBack) {
  Spectrum image{4, 8, {}};
  Random random(1);
  for (int i = 0; i < 32; ++i) {
    image.values.emplace_back(static_cast<float>(random.uniform()), static_cast<float>(random.uniform()));
  }
  Spectrum there = image;
  fourier(there, false);
  for (int v = 0; v < 4; ++v) {
    for (int u = 0; u < 8; ++u) {
      std::complex<double> sum = 0;
      for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 8; ++x) {
          const double angle = -2 * 3.14159265358979 * (u * x / 8.0 + v * y / 4.0);
          sum += std::complex<double>(image.values[static_cast<std::size_t>(8 * y + x)]) * std::polar(1.0, angle);
        }
      }
      EXPECT_NEAR(there.values[static_cast<std::size_t>(8 * v + u)].real(), sum.real(), 1e-4);
      EXPECT_NEAR(there.values[static_cast<std::size_t>(8 * v + u)].imag(), sum.imag(), 1e-4);
    }
  }
  fourier(there, true);
  for (std::size_t i = 0; i < 32; ++i) EXPECT_LT(std::abs(there.values[i] - image.values[i]), 1e-5);
}

TEST(PhaseCorrelation, FindsLargeShifts) {
  const Image texture = testing::random_image(160, 200, 3);
  const auto cut = [&](int dx, int dy) {
    Image image = smoothed(crop(texture, {40 - dy, 40 - dx, 80, 120}), 0.8);
    for (float& v : image.values()) v -= 0.5f;
    return image;
  };
  for (const auto& [dx, dy] : {std::pair{13, -3}, {-30, 8}, {0, 0}, {38, 20}}) {
    const Shift found = phase_correlation(cut(0, 0), cut(dx, dy));
    EXPECT_NEAR(found.dx, dx, 0.3);
    EXPECT_NEAR(found.dy, dy, 0.3);
  }
}

TEST(Registration, IsRightToThreeHundredthsOfAPixel) {
  const Image from = smoothed(waves(96, 128, {}, 0.1, 1), 1.0);
  for (const Similarity wanted :
       {Similarity{0.5, 0.25, 0, 1}, Similarity{2.37, -0.61, 0.004, 1.003}, Similarity{-1.08, 0.9, -0.008, 0.996}}) {
    const Image to = smoothed(waves(96, 128, wanted, 0.1, 2), 1.0);
    const Similarity start{std::round(wanted.dx), std::round(wanted.dy), 0, 1};
    const Registration found = register_images(from, to, {0, 0, 96, 128}, {63.5, 47.5}, start);
    EXPECT_NEAR(found.motion.dx, wanted.dx, 0.03);
    EXPECT_NEAR(found.motion.dy, wanted.dy, 0.03);
    EXPECT_NEAR(found.motion.turn, wanted.turn, 5e-4);
    EXPECT_NEAR(found.motion.scale, wanted.scale, 5e-4);
    EXPECT_GT(found.correlation, 0.9);
  }
}

TEST(Registration, NothingInCommonIsToldByTheCorrelation) {
  const Image from = smoothed(testing::random_image(64, 64, 1), 1.0);
  const Image to = smoothed(testing::random_image(64, 64, 2), 1.0);
  EXPECT_LT(register_images(from, to, {0, 0, 64, 64}, {31.5, 31.5}, {}).correlation, 0.2);
}

TEST(Similarity, UndoesWhatItDoes) {
  const Place centre{10, 20};
  const Similarity a{3, -1, 0.3, 1.2};
  const Similarity b{-2, 0.5, -0.1, 0.9};
  const Place p{4, 7};
  const Place back = a.undo(a.apply(p, centre), centre);
  EXPECT_NEAR(back.x, p.x, 1e-12);
  EXPECT_NEAR(back.y, p.y, 1e-12);
  const Place both = a.after(b, centre).apply(p, centre);
  const Place each = a.apply(b.apply(p, centre), centre);
  EXPECT_NEAR(both.x, each.x, 1e-12);
  EXPECT_NEAR(both.y, each.y, 1e-12);
  const Place other{-3, 8};
  const Place moved = a.about(other, centre).apply(p, other);
  EXPECT_NEAR(moved.x, a.apply(p, centre).x, 1e-12);
  EXPECT_NEAR(moved.y, a.apply(p, centre).y, 1e-12);
}

TEST(Alignment, ErrorsOfAChainDoNotAddUp) {
  std::vector<Image> images;
  std::vector<Similarity> truth;
  for (int k = 0; k < 15; ++k) {
    truth.push_back({1.7 * k + 0.02 * k * k, 0.03 * k, 0.0004 * k, 1 + 0.0002 * k});
    images.push_back(smoothed(waves(64, 96, truth.back(), 0.25, 10 + static_cast<std::uint64_t>(k)), 1.0));
  }
  const Alignment found = align_captures(images, compare_neighbours(images, [](double) {}), [](double) {});
  for (std::size_t k = 0; k < images.size(); ++k) {
    const double wanted = truth[k].dx - truth[found.middle].dx;
    EXPECT_NEAR(found.motions[k].dx, wanted, 0.05) << k;
    EXPECT_GT(found.correlations[k], 0.9);
  }
}

}  // namespace
}  // namespace snapcube
