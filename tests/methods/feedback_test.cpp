// Passes with error feedback, the solver on the remainder, lamps, units: with networks that are closed formulas.

#include "methods/feedback.h"

#include <cmath>

#include <snapcube/snapcube.h>

#include "methods/lamp.h"
#include "methods/units.h"
#include "solvers/detector_algebra.h"
#include "support.h"

namespace snapcube {
namespace {

Camera small_camera(int bands = 6) { return Camera(random_mask(32, 40, MaskKind::binary, 0.5, 3), {.bands = bands}); }

Cube cube_of(const Camera& camera) { return Cube(camera.bands(), camera.height(), camera.width()); }

/// x = share · Φᵀ(ΦΦᵀ)⁻¹y: explains this share of what it gets.
Feedback::Network explaining(const Camera& camera, double share) {
  return [&camera, share](const Image& y, const Camera&, const std::function<void(double)>&, Cube& x) {
    Image scaled = inverse_row_sums(camera);
    for (std::size_t i = 0; i < y.size(); ++i) scaled.data()[i] *= static_cast<float>(share * y.data()[i]);
    camera.adjoint(scaled, x);
  };
}

/// A scene that every method can find: smooth, the same in all bands.
Image smooth_grey(const Camera& camera) {
  Image grey(camera.height(), camera.width());
  for (int y = 0; y < grey.height(); ++y) {
    for (int x = 0; x < grey.width(); ++x) {
      grey(y, x) = static_cast<float>(0.3 + 0.15 * std::sin(0.2 * x) * std::cos(0.15 * y));
    }
  }
  return grey;
}

Cube lit(const Image& grey, const std::vector<float>& lamp) {
  Cube cube(static_cast<int>(lamp.size()), grey.height(), grey.width());
  for (int b = 0; b < cube.bands(); ++b) {
    for (std::size_t i = 0; i < grey.size(); ++i) cube.band(b)[i] = lamp[static_cast<std::size_t>(b)] * grey.data()[i];
  }
  return cube;
}

/// Knows scenes without colour only: least squares over those, by gradient descent.
Feedback::Network knowing_grey() {
  return [](const Image& y, const Camera& camera, const std::function<void(double)>&, Cube& x) {
    Image grey(camera.height(), camera.width());
    const float step = 0.5f / static_cast<float>(camera.bands() * camera.bands());
    for (int k = 0; k < 400; ++k) {
      x = lit(grey, std::vector<float>(static_cast<std::size_t>(camera.bands()), 1.0f));
      Image rest = camera.forward(x);
      for (std::size_t i = 0; i < y.size(); ++i) rest.data()[i] = y.data()[i] - rest.data()[i];
      const Cube back = camera.adjoint(rest);
      for (int b = 0; b < camera.bands(); ++b) {
        for (std::size_t i = 0; i < grey.size(); ++i) grey.data()[i] += step * back.band(b)[i];
      }
    }
    x = lit(grey, std::vector<float>(static_cast<std::size_t>(camera.bands()), 1.0f));
  };
}

TEST(Feedback, EachPassExplainsItsShareOfTheRest) {
  const Camera camera = small_camera();
  const Image y = camera.forward(testing::random_cube(6, 32, 40, 1));
  Feedback feedback;
  Cube x = cube_of(camera);
  // Of what is left, 0.3, the next pass explains 0.7 again.
  feedback.run(y, camera, {.passes = 0, .refine = false}, explaining(camera, 0.7), {}, x);
  ASSERT_EQ(feedback.passes().misfits.size(), 3U);
  EXPECT_NEAR(feedback.passes().misfits[0], 0.3, 1e-4);
  EXPECT_NEAR(feedback.passes().misfits[1], 0.09, 1e-4);
  EXPECT_NEAR(feedback.passes().misfits[2], 0.027, 1e-4);
  EXPECT_EQ(feedback.passes().kept, 3);
  EXPECT_FALSE(feedback.passes().refined);
  // The cube that was taken is that of the last pass.
  const Image left = camera.forward(x);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(left.data()[i], 0.973 * y.data()[i], 1e-4);

  feedback.run(y, camera, {.passes = 5, .refine = false}, explaining(camera, 0.5), {}, x);
  ASSERT_EQ(feedback.passes().misfits.size(), 5U);
  EXPECT_NEAR(feedback.passes().misfits[4], 1.0 / 32, 1e-4);
}

TEST(Feedback, StopsWhereTheMisfitDoesNotFallAndKeepsTheBest) {
  const Camera camera = small_camera();
  const Image y = camera.forward(testing::random_cube(6, 32, 40, 1));
  int calls = 0;
  const auto first = explaining(camera, 0.9);
  const auto later = explaining(camera, 0.5);
  const Feedback::Network network = [&](const Image& given, const Camera& with,
                                        const std::function<void(double)>& report,
                                        Cube& x) { (calls++ == 0 ? first : later)(given, with, report, x); };
  Feedback feedback;
  Cube x = cube_of(camera);
  feedback.run(y, camera, {.passes = 0, .refine = false}, network, {}, x);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(feedback.passes().kept, 1);
  EXPECT_EQ(feedback.passes().misfits.size(), 2U);
  Cube wanted = cube_of(camera);
  first(y, camera, {}, wanted);
  EXPECT_TRUE(std::ranges::equal(x.values(), wanted.values()));
}

TEST(Feedback, TheSolverExplainsMuchOfTheRemainder) {
  const Camera camera = small_camera();
  const Cube truth = lit(smooth_grey(camera), std::vector<float>(6, 1.0f));
  const Image y = camera.forward(truth);
  Feedback feedback;
  Cube without = cube_of(camera);
  Cube with = cube_of(camera);
  feedback.run(y, camera, {.passes = 1, .refine = false}, explaining(camera, 0.8), {}, without);
  feedback.run(y, camera, {.passes = 1, .refine = true}, explaining(camera, 0.8), {}, with);
  EXPECT_TRUE(feedback.passes().refined);
  EXPECT_LT(camera.misfit(with, y), 0.5 * camera.misfit(without, y) + 0.02);
  EXPECT_GT(psnr(with, truth), psnr(without, truth));
}

TEST(Feedback, UnderALampWithLinesTheNetworkSeesTheSceneWithoutThem) {
  const Camera camera = small_camera(10);
  std::vector<float> lamp(10);
  for (std::size_t b = 0; b < lamp.size(); ++b) lamp[b] = b % 2 == 0 ? 0.4f : 1.6f;  // no parabola comes near
  const Cube truth = lit(smooth_grey(camera), lamp);
  const Image y = camera.forward(truth);
  Feedback feedback;
  Cube alone = cube_of(camera);
  feedback.run(y, camera, {.passes = 1, .refine = false}, knowing_grey(), {}, alone);
  EXPECT_EQ(feedback.passes().lamp, LampSide::known);
  EXPECT_GT(feedback.passes().misfits[0], 0.08);
  Cube x = cube_of(camera);
  feedback.run(y, camera, {.passes = 0, .refine = true}, knowing_grey(), {}, x);
  EXPECT_EQ(feedback.passes().lamp, LampSide::relit);
  // The first misfit is that of the scene with its lines, the kept one that without.
  EXPECT_LE(feedback.passes().misfits[static_cast<std::size_t>(feedback.passes().kept) - 1],
            0.62 * feedback.passes().misfits.front());
  EXPECT_GT(feedback.passes().kept, 1);
  EXPECT_EQ(to_string(feedback.passes().lamp), "relit");
}

TEST(Feedback, ANetworkThatKnowsGainsGetsTheLinesAsAPartOfItsCamera) {
  const Camera camera = small_camera(10);
  std::vector<float> lamp(10);
  for (std::size_t b = 0; b < lamp.size(); ++b) lamp[b] = b % 2 == 0 ? 0.4f : 1.6f;
  const Cube truth = lit(smooth_grey(camera), lamp);
  const Image y = camera.forward(truth);
  Feedback feedback;
  Cube x = cube_of(camera);
  int kept = 0;
  bool has_lines = false;
  const auto grey = knowing_grey();
  const Feedback::Network network = [&](const Image& given, const Camera& with, const Feedback::Report& report,
                                        Cube& s) {
    if (!with.plain()) {
      // What it measures of s is what the camera measures of g·s, so that given and s are of one size.
      has_lines = true;
      EXPECT_GT(with.mask(1)(0, 0) + with.mask(1)(1, 1), with.mask(0)(0, 0) + with.mask(0)(1, 1) - 1e-6f);
    }
    grey(given, with, report, s);
  };
  feedback.run(y, camera, {.passes = 0, .refine = true, .knows_gains = true}, network, {}, x, [&] { ++kept; });
  EXPECT_TRUE(has_lines);
  EXPECT_EQ(feedback.passes().lamp, LampSide::relit);
  EXPECT_GE(kept, 2);  // the first pass, then the relit one
  EXPECT_LE(feedback.passes().misfits[static_cast<std::size_t>(feedback.passes().kept) - 1],
            0.62 * feedback.passes().misfits.front());
  Cube alone = cube_of(camera);
  feedback.run(y, camera, {.passes = 1, .refine = false, .knows_gains = true}, network, {}, alone);
  EXPECT_GT(psnr(x, truth), psnr(alone, truth) + 3);
}

TEST(Feedback, WhereTheNetworkKnowsNothingThePredictionDecides) {
  const Camera camera = small_camera();
  const Feedback::Network blind = [](const Image&, const Camera&, const std::function<void(double)>&, Cube& x) {
    std::ranges::fill(x.values(), 0.0f);
  };
  Feedback feedback;
  Cube x = cube_of(camera);
  // A smooth scene: the solver predicts pixels that it has not seen.
  const Cube truth = lit(smooth_grey(camera), std::vector<float>(6, 1.0f));
  feedback.run(camera.forward(truth), camera, {.passes = 0, .refine = true}, blind, {}, x);
  EXPECT_EQ(feedback.passes().lamp, LampSide::solver);
  EXPECT_GT(psnr(x, truth), 25);
  // A mask that has nothing to do with the measurement: it does not.
  const Image noise = testing::random_image(camera.detector_height(), camera.detector_width(), 5);
  feedback.run(noise, camera, {.passes = 0, .refine = true}, blind, {}, x);
  EXPECT_EQ(feedback.passes().lamp, LampSide::known);
}

TEST(Feedback, ABlackFrameStaysFinite) {
  const Camera camera = small_camera();
  Feedback feedback;
  Cube x = cube_of(camera);
  feedback.run(Image(camera.detector_height(), camera.detector_width()), camera, {.passes = 0, .refine = true},
               explaining(camera, 0.7), {}, x);
  for (const float v : x.values()) EXPECT_EQ(v, 0);
}

TEST(Feedback, AnotherCameraIsNoticed) {
  const Camera camera = small_camera();
  const Camera other(random_mask(32, 40, MaskKind::binary, 0.5, 9), {.bands = 6});
  Feedback feedback;
  Cube x = cube_of(camera);
  const Cube scene = testing::random_cube(6, 32, 40, 1);
  feedback.run(camera.forward(scene), camera, {.passes = 2, .refine = true}, explaining(camera, 0.7), {}, x);
  feedback.run(other.forward(scene), other, {.passes = 2, .refine = true}, explaining(other, 0.7), {}, x);
  EXPECT_NEAR(feedback.passes().misfits[1], 0.09, 1e-4);
}

TEST(GapSolver, IsGapTv) {
  const Camera camera = small_camera();
  const Image y = camera.forward(
      make_scene("still-life", {.height = 32, .width = 40, .wavelengths = even_wavelengths(450, 30, 6)}));
  const Cube wanted = Reconstructor::open("gap-tv").reconstruct(y, camera);
  GapSolver solver(camera);
  Cube x = cube_of(camera);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(solver.solve(y, brightness(y, camera), {}, x), 0);
    EXPECT_TRUE(std::ranges::equal(x.values(), wanted.values()));
  }
  // Left out for a while, the pixels are predicted from the others.
  const double error = solver.solve(y, brightness(y, camera), {.blind = 60}, x);
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 0.2);
}

TEST(Lamp, LinesAreWhatASmoothSpectrumHasNot) {
  std::vector<float> lamp(20);
  for (std::size_t b = 0; b < lamp.size(); ++b) {
    const double u = static_cast<double>(b) / 19;
    lamp[b] = static_cast<float>(std::exp(0.3 + u - 1.5 * u * u));
  }
  std::vector<float> gains;
  const Image grey(8, 8, 0.5f);
  lines_of(lit(grey, lamp), gains);
  for (const float g : gains) EXPECT_NEAR(g, 1, 1e-4);
  lamp[7] *= 4;
  lines_of(lit(grey, lamp), gains);
  EXPECT_GT(gains[7], 2.2);
  EXPECT_LT(gains[6], 1.2);
  lines_of(Cube(20, 8, 8), gains);
  for (const float g : gains) EXPECT_EQ(g, 1);
}

TEST(Units, TheFactorUndoesTheUnits) {
  const Camera camera = small_camera();
  Image y = camera.forward(Cube(6, 32, 40, 0.25f));
  EXPECT_NEAR(mean_brightness(y, camera), 0.25, 1e-6);
  EXPECT_NEAR(factor_to_sum(y, camera, Units::automatic, true), kKnownBrightness / 0.25, 1e-6);
  EXPECT_EQ(factor_to_sum(y, camera, Units::automatic, false), 1);
  EXPECT_EQ(factor_to_sum(y, camera, Units::sum, true), 1);
  for (float& v : y.values()) v *= 4096;
  EXPECT_NEAR(factor_to_sum(y, camera, Units::automatic, true) * 4096, kKnownBrightness / 0.25, 1e-6);
  EXPECT_NEAR(factor_to_sum(y, camera, Units::automatic, false) * 4096, kKnownBrightness / 0.25, 1e-6);
  EXPECT_EQ(factor_to_sum(Image(32, 50), camera, Units::automatic, true), 1);
}

}  // namespace
}  // namespace snapcube
