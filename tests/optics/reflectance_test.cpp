#include <gtest/gtest.h>

#include <snapcube/snapcube.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::expect_contains;

/// A scene of known reflectance under a lamp: L = R · W.
struct Lit {
  Cube reflectance = testing::random_cube(5, 8, 9, 1);
  std::vector<double> lamp = {0.2, 0.9, 1.4, 1.1, 0.5};
  Cube radiance = reflectance;
  Cube target = Cube(5, 8, 9);

  Lit() {
    for (int b = 0; b < 5; ++b) {
      for (std::size_t i = 0; i < radiance.band_size(); ++i) {
        radiance.band(b)[i] *= static_cast<float>(lamp[static_cast<std::size_t>(b)]);
        target.band(b)[i] = static_cast<float>(lamp[static_cast<std::size_t>(b)]);
      }
    }
  }
};

void expect_near(const Cube& a, const Cube& b, double factor = 1) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a.data()[i], factor * b.data()[i], 1e-5);
}

TEST(WhiteReference, TurnsRadianceIntoReflectance) {
  Lit lit;
  WhiteReference(lit.target).apply(lit.radiance);
  expect_near(lit.radiance, lit.reflectance);
  // A grey target of half the reflectance in one corner; elsewhere something else.
  Lit again;
  Cube scene = testing::random_cube(5, 8, 9, 2);
  for (int b = 0; b < 5; ++b) {
    for (int y = 2; y < 5; ++y) {
      for (int x = 3; x < 7; ++x) scene(b, y, x) = 0.5f * again.target(b, y, x);
    }
  }
  WhiteReference(scene, Region{2, 3, 3, 4}, 0.5).apply(again.radiance);
  expect_near(again.radiance, again.reflectance);
}

TEST(WhiteReference, OtherWavelengthsAreTakenBetweenNeighbours) {
  const WhiteReference white({1, 2, 4}, {500, 520, 560});
  Cube cube(4, 2, 2, 1.0f);
  cube.wavelengths = {560, 510, 500, 540};  // in any order
  const std::vector<double> factors = white.factors(cube);
  const std::vector<double> expected = {1 / 4.0, 1 / 1.5, 1, 1 / 3.0};
  for (std::size_t b = 0; b < 4; ++b) EXPECT_NEAR(factors[b], expected[b], 1e-12);
  cube.wavelengths = {560, 510, 499, 540};
  expect_contains(error_of<InputError>([&] { white.apply(cube); }),
                  "white reference: wavelengths: expected a range with 499 nm in it, found 500 … 560 nm");
  cube.wavelengths = {};
  expect_contains(error_of<InputError>([&] { white.apply(cube); }), "bands: expected 4");
}

TEST(WhiteReference, ADarkBandHasNoReflectance) {
  expect_contains(error_of<InputError>([] {
                    WhiteReference({1, 0.0005, 0.5, 0}, {450, 500, 550, 600}, 1, "w.h5");
                  }),
                  "w.h5: white target: expected light in every band, found next to none at 500 nm, 600 nm");
  expect_contains(error_of<InputError>([] { WhiteReference({1, -1}, {}); }), "band 2");
  expect_contains(error_of<InputError>([] {
                    WhiteReference({1, 1}, {}, 0);
                  }),
                  "reflectance: expected a number above 0");
  expect_contains(error_of<InputError>([] { WhiteReference({1, 1}, {500}); }), "wavelengths: expected one for each");
  EXPECT_THROW(WhiteReference(Cube(2, 4, 4, 1.0f), Region{0, 0, 5, 4}), InputError);
}

}  // namespace
}  // namespace snapcube
