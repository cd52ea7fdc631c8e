#include <algorithm>
#include <cmath>
#include <cstring>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/noise.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_image;
using Kind = NoiseStage::Kind;

Image noisy(Image image, const std::string& model, std::uint64_t seed) {
  NoiseModel::parse(model).apply(image, seed);
  return image;
}

bool same_bytes(const Image& a, const Image& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(NoiseParse, None) {
  EXPECT_TRUE(NoiseModel::parse("none").stages().empty());
  EXPECT_TRUE(NoiseModel::parse(" none ").stages().empty());
  const Image image = random_image(3, 4, 1);
  EXPECT_TRUE(same_bytes(noisy(image, "none", 1), image));
}

TEST(NoiseParse, ReadsEveryStageInOrder) {
  const NoiseModel model =
      NoiseModel::parse("shot11 + gaussian:0.005+poisson:1e4+quantise:12+quantize:8:2.5+shot12:3", 1.2);
  const auto& s = model.stages();
  ASSERT_EQ(s.size(), 6u);
  EXPECT_EQ(s[0].kind, Kind::shot);
  EXPECT_EQ(s[0].bits, 11);
  EXPECT_EQ(s[0].gain, 1.2);
  EXPECT_EQ(s[0].quantum_efficiency, 0.4);
  EXPECT_EQ(s[1].kind, Kind::gaussian);
  EXPECT_EQ(s[1].sigma, 0.005);
  EXPECT_EQ(s[2].kind, Kind::poisson);
  EXPECT_EQ(s[2].photons, 1e4);
  EXPECT_EQ(s[3].kind, Kind::quantise);
  EXPECT_EQ(s[3].bits, 12);
  EXPECT_EQ(s[3].full_scale, 0);
  EXPECT_EQ(s[4].bits, 8);
  EXPECT_EQ(s[4].full_scale, 2.5);
  EXPECT_EQ(s[5].bits, 12);
  EXPECT_EQ(s[5].gain, 3);
}

TEST(NoiseParse, RefusesEverythingElse) {
  for (const char* text : {"",
                           " ",
                           "shot",
                           "shot0",
                           "shot25",
                           "shot-1",
                           "shot11.5",
                           "shotx",
                           "shot99999999999999999999",
                           "shot11:",
                           "shot11:0",
                           "shot11:-1",
                           "shot11:x",
                           "shot11:1:2",
                           "gaussian",
                           "gaussian:",
                           "gaussian:-1",
                           "gaussian:nan",
                           "gaussian:inf",
                           "gaussian:1:2",
                           "gaussian:1x",
                           "poisson",
                           "poisson:0",
                           "poisson:-3",
                           "poisson:inf",
                           "quantise",
                           "quantise:0",
                           "quantise:25",
                           "quantise:8.5",
                           "quantise:8:0",
                           "quantise:8:-1",
                           "quantise:8:nan",
                           "quantise:8:1:1",
                           "none+shot11",
                           "shot11+",
                           "+shot11",
                           "shot11++gaussian:1",
                           "Gauss:1",
                           "shot11,gaussian:1"}) {
    const std::string message = error_of<InputError>([&] { NoiseModel::parse(text); });
    EXPECT_EQ(message.find("noise '" + std::string(text) + "': expected "), 0u) << message;
    EXPECT_NE(message.find("an example is 'shot11+gaussian:0.005+quantise:12'"), std::string::npos) << message;
  }
}

TEST(NoiseParse, SaysWhatIsWrong) {
  const auto reason = [](const char* text) {
    const std::string message = error_of<InputError>([&] { NoiseModel::parse(text); });
    return message.substr(0, message.find(';'));
  };
  EXPECT_EQ(reason("shot25"), "noise 'shot25': expected 1 to 24 bits, found '25'");
  EXPECT_EQ(reason("poisson:-3"), "noise 'poisson:-3': expected a number of photons above 0, found -3");
  EXPECT_EQ(reason("gaussian"), "noise 'gaussian': expected gaussian:SIGMA");
  EXPECT_EQ(reason("gaussian:1x"), "noise 'gaussian:1x': expected a number, found '1x'");
  EXPECT_EQ(reason("fog:1"), "noise 'fog:1': expected none, shotBITS, gaussian, poisson or quantise, found 'fog'");
  EXPECT_THROW(NoiseModel::parse("shot11", 0), InputError);
  EXPECT_NO_THROW(NoiseModel::parse("shot11:1", 0));
}

TEST(NoiseApply, ChecksStagesMadeByHand) {
  Image image(2, 2, 0.5f);
  const auto apply = [&](NoiseStage stage) { NoiseModel({stage}).apply(image, 1); };
  EXPECT_THROW(apply({.kind = Kind::shot, .bits = 0}), InputError);
  EXPECT_THROW(apply({.kind = Kind::shot, .quantum_efficiency = 0}), InputError);
  EXPECT_THROW(apply({.kind = Kind::shot, .quantum_efficiency = 1.5}), InputError);
  EXPECT_THROW(apply({.kind = Kind::shot, .gain = NAN}), InputError);
  EXPECT_THROW(apply({.kind = Kind::poisson}), InputError);
  EXPECT_THROW(apply({.kind = Kind::gaussian, .sigma = -1}), InputError);
  EXPECT_THROW(apply({.kind = Kind::quantise, .bits = 25}), InputError);
  EXPECT_EQ(image(1, 1), 0.5f);
}

/// Mean and variance of a constant image after `model` against theory, within five standard errors.
/// The fourth central moment of all these distributions is within 10 % of the normal's 3·variance².
void expect_moments(const std::string& model, float value, double mean, double variance) {
  const Image image = noisy(Image(400, 500, value), model, 7);
  const auto n = static_cast<double>(image.size());
  double sum = 0;
  double squares = 0;
  for (const float v : image.values()) {
    sum += v - mean;
    squares += (v - mean) * (v - mean);
  }
  EXPECT_NEAR(sum / n, 0, 5 * std::sqrt(variance / n)) << model;
  EXPECT_NEAR(squares / n, variance, 5 * variance * std::sqrt(2.2 / n)) << model;
}

TEST(NoiseApply, MomentsOfShotNoise) {
  for (const float value : {0.02f, 0.5f, 3.0f}) {
    for (const auto& [model, scale] : {std::pair{"shot11", 2048.0}, std::pair{"shot8:2", 512.0}}) {
      const double photons = std::floor(value * scale / 0.4);
      expect_moments(model, value, photons * 0.4 / scale, photons * 0.4 * 0.6 / (scale * scale));
    }
  }
}

TEST(NoiseApply, MomentsOfGaussianNoise) {
  expect_moments("gaussian:0.05", 0.5f, 0.5, 0.05 * 0.05);
  expect_moments("gaussian:2", -1.0f, -1, 4);
}

TEST(NoiseApply, MomentsOfPoissonNoise) {
  expect_moments("poisson:1000", 0.5f, 0.5, 0.5 / 1000);
  expect_moments("poisson:100", 2.0f, 2, 2.0 / 100);
  // Too many photons to count one by one.
  expect_moments("poisson:1e10", 1.0f, 1, 1e-10);
}

TEST(NoiseApply, MomentsOfStagesAdd) {
  const double photons = std::floor(0.5 * 2048 / 0.4);
  expect_moments("shot11+gaussian:0.01", 0.5f, photons * 0.4 / 2048, photons * 0.4 * 0.6 / (2048 * 2048) + 0.01 * 0.01);
}

TEST(NoiseApply, ShotNoiseCountsInLevelsAndIsNotClipped) {
  const Image image = noisy(random_image(50, 60, 1), "shot11", 3);
  for (const float v : image.values()) EXPECT_EQ(v * 2048, std::floor(v * 2048));
  // n = floor(1·2048/0.4) = 5120 photons: some pixels end above 1.
  const Image white = noisy(Image(50, 60, 1.0f), "shot11", 3);
  EXPECT_GT(std::ranges::max(white.values()), 1.0f);
}

TEST(NoiseApply, DarkAndNegativePixelsStayDark) {
  for (const char* model : {"shot11", "poisson:100"}) {
    for (const float value : {0.0f, -0.5f}) {
      const Image image = noisy(Image(5, 5, value), model, 1);
      for (const float v : image.values()) EXPECT_EQ(v, 0.0f) << model;
    }
  }
}

TEST(NoiseApply, HugeValuesDoNotOverflow) {
  // From 2^40 photons, which still fit into 64 bits, to far more than that.
  for (const char* model : {"shot24", "poisson:1e9"}) {
    for (const float value : {1e6f, 1e12f, 1e15f, 1e30f}) {
      const Image image = noisy(Image(2, 2, value), model, 1);
      for (const float v : image.values()) EXPECT_NEAR(v / value, 1, 1e-6) << model << value;
    }
  }
}

TEST(NoiseApply, QuantiseRoundsAndClips) {
  Image image(1, 6);
  const float values[] = {-1.0f, 0.4f, 0.6f, 1.4f, 2.9f, 7.0f};
  std::copy(std::begin(values), std::end(values), image.data());
  const Image fixed = noisy(image, "quantise:2:3", 1);  // levels 0, 1, 2, 3
  const float expected[] = {0, 0, 1, 1, 3, 3};
  EXPECT_EQ(std::memcmp(fixed.data(), expected, sizeof expected), 0);
  const Image automatic = noisy(image, "quantise:1", 1);  // levels 0 and 7
  for (int x = 0; x < 6; ++x) EXPECT_EQ(automatic(0, x), x == 5 ? 7.0f : 0.0f);
  for (const float dark : {0.0f, -1.0f}) {
    const Image none = noisy(Image(2, 2, dark), "quantise:8", 1);
    for (const float v : none.values()) EXPECT_EQ(v, 0.0f);
  }
}

TEST(NoiseApply, StagesActInOrder) {
  const Image image = random_image(20, 30, 1);
  const Image quantised_last = noisy(image, "gaussian:0.1+quantise:1:1", 1);
  for (const float v : quantised_last.values()) EXPECT_TRUE(v == 0 || v == 1);
  const Image noisy_last = noisy(image, "quantise:1:1+gaussian:0.1", 1);
  EXPECT_NE(noisy_last(0, 0), std::round(noisy_last(0, 0)));
  // Two stages of one kind are independent: their errors add up as variances do, not as amplitudes.
  expect_moments("gaussian:0.05+gaussian:0.05", 0.5f, 0.5, 2 * 0.05 * 0.05);
}

TEST(NoiseApply, PixelsSeedsAndStagesAreIndependent) {
  const Image a = noisy(Image(100, 100, 0.0f), "gaussian:1", 1);
  const Image b = noisy(Image(100, 100, 0.0f), "gaussian:1", 2);
  double neighbours = 0;
  double seeds = 0;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    neighbours += static_cast<double>(a.data()[i]) * a.data()[i + 1];
    seeds += static_cast<double>(a.data()[i]) * b.data()[i];
  }
  EXPECT_LT(std::fabs(neighbours) / 1e4, 5 / 100.0);
  EXPECT_LT(std::fabs(seeds) / 1e4, 5 / 100.0);
}

TEST(NoiseApply, IsTheSameForEveryThreadCount) {
  const Image image = random_image(61, 127, 1);
  const int before = omp_get_max_threads();
  for (const char* model : {"shot11", "gaussian:0.1", "poisson:50", "shot11+gaussian:0.005+quantise:12"}) {
    omp_set_num_threads(1);
    const Image one = noisy(image, model, 5);
    for (const int threads : {2, 3}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(same_bytes(noisy(image, model, 5), one)) << model;
    }
    EXPECT_FALSE(same_bytes(noisy(image, model, 6), one)) << model;
  }
  omp_set_num_threads(before);
}

/// FNV-1a over the bytes.
std::uint64_t hash(const Image& image) {
  std::uint64_t h = 14695981039346656037ull;
  const auto* bytes = reinterpret_cast<const unsigned char*>(image.data());
  for (std::size_t i = 0; i < image.size() * sizeof(float); ++i) h = (h ^ bytes[i]) * 1099511628211ull;
  return h;
}

TEST(NoiseApply, BytesArePinned) {
  // From this program, to notice a change: it would change every measurement ever simulated with a
  // seed. That the values are right is for the tests above.
  const Image image = random_image(16, 16, 1);
  EXPECT_EQ(hash(noisy(image, "shot11", 42)), 12620102147403504651ull);
  EXPECT_EQ(hash(noisy(image, "gaussian:0.1", 42)), 14108348818614413253ull);
  EXPECT_EQ(hash(noisy(image, "poisson:5", 42)), 63723580972981287ull);
  EXPECT_EQ(hash(noisy(image, "poisson:500", 42)), 4957923772678490355ull);
  EXPECT_EQ(hash(noisy(image, "shot11+gaussian:0.005+quantise:12", 42)), 13142422562486871954ull);
}

}  // namespace
}  // namespace snapcube
