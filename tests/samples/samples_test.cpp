#include "samples/samples.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <omp.h>
#include <set>
#include <thread>

#include <snapcube/error.h>

#include "samples/scenes.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::CodedScenes;
using testing::error_of;
using testing::small_config;

/// Value of sample i.
float at(const Batch& batch, const FloatBuffer& values, int i, int b, int y, int x) {
  return values[((static_cast<std::size_t>(i) * batch.bands + b) * batch.height + y) * batch.width + x];
}

float mask_at(const Batch& batch, int i, int y, int x) {
  return batch.mask[(static_cast<std::size_t>(i) * batch.height + y) * batch.width + x];
}

void expect_same(const Batch& a, const Batch& b) {
  EXPECT_EQ(a.size, b.size);
  EXPECT_EQ(a.truth, b.truth);
  EXPECT_EQ(a.measurement, b.measurement);
  EXPECT_EQ(a.mask, b.mask);
  EXPECT_EQ(a.scenes, b.scenes);
}

TEST(Samples, FollowFromSeedAndNumberAlone) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.noises = {{"gaussian:0.01", 1}, {"shot11", 1}};
  const Batch batch = make_batch(config, scenes, 4);
  expect_same(batch, make_batch(config, scenes, 4));
  EXPECT_NE(batch.truth, make_batch(config, scenes, 5).truth);
  config.seed = 2;
  EXPECT_NE(batch.truth, make_batch(config, scenes, 4).truth);
  EXPECT_NE(batch.mask, make_batch(config, scenes, 4).mask);
}

TEST(Samples, AreNumberedThroughTheBatches) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.plain = 1;
  const Batch two = make_batch(config, scenes, 2);  // samples 12 … 17
  config.batch = 1;
  for (int i = 0; i < 6; ++i) {
    const Batch one = make_batch(config, scenes, 12 + i);
    const auto size = static_cast<std::ptrdiff_t>(one.truth.size());
    EXPECT_TRUE(std::equal(one.truth.begin(), one.truth.end(), two.truth.begin() + i * size));
    EXPECT_TRUE(std::equal(one.measurement.begin(), one.measurement.end(), two.measurement.begin() + i * size));
    EXPECT_EQ(one.scenes.front(), two.scenes[static_cast<std::size_t>(i)]);
  }
}

/// Checks that a rectangle of sample i is one window of one scene, in all bands, and gives the steps in that scene for
/// one step down and one step right in the sample.
std::array<int, 4> expect_window(const CodedScenes& scenes, const Batch& batch, int i, const Region& part) {
  const auto origin = scenes.place(at(batch, batch.truth, i, 0, part.top, part.left));
  const auto below = scenes.place(at(batch, batch.truth, i, 0, part.top + 1, part.left));
  const auto beside = scenes.place(at(batch, batch.truth, i, 0, part.top, part.left + 1));
  const std::array<int, 4> step{below.y - origin.y, below.x - origin.x, beside.y - origin.y, beside.x - origin.x};
  for (int b = 0; b < batch.bands; ++b) {
    for (int y = 0; y < part.height; ++y) {
      for (int x = 0; x < part.width; ++x) {
        const CodedScenes::Place expected{origin.scene, b, origin.y + y * step[0] + x * step[2],
                                          origin.x + y * step[1] + x * step[3]};
        EXPECT_EQ(scenes.place(at(batch, batch.truth, i, b, part.top + y, part.left + x)), expected);
      }
    }
  }
  return step;
}

TEST(Samples, PlainOnesAreTurnedAndMirroredWindows) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.plain = 1;
  config.batch = 200;
  const Batch batch = make_batch(config, scenes, 0);
  std::set<std::array<int, 4>> orientations;
  std::set<std::string> names;
  std::set<int> rows;
  for (int i = 0; i < batch.size; ++i) {
    orientations.insert(expect_window(scenes, batch, i, {0, 0, 11, 11}));
    names.insert(batch.scenes[static_cast<std::size_t>(i)]);
    const auto place = scenes.place(at(batch, batch.truth, i, 0, 0, 0));
    EXPECT_EQ(batch.scenes[static_cast<std::size_t>(i)], scenes.name(static_cast<std::size_t>(place.scene)));
    if (place.scene == 2) {
      // Of the windows, the topmost and the bottommost one must occur: 15 − 11 + 1 = 5 positions.
      int top = 99;
      for (const int y : {0, 10}) {
        for (const int x : {0, 10}) top = std::min(top, scenes.place(at(batch, batch.truth, i, 0, y, x)).y);
      }
      rows.insert(top);
    }
  }
  EXPECT_EQ(orientations.size(), 8u);
  EXPECT_EQ(names, (std::set<std::string>{"scene0", "scene1", "scene2"}));
  EXPECT_EQ(rows, (std::set<int>{0, 1, 2, 3, 4}));
}

TEST(Samples, MayBeWiderThanHigh) {
  const CodedScenes scenes;  // of 13×24, 14×21 and 15×18
  TrainConfig config = small_config();
  config.plain = 1;
  config.batch = 200;
  config.crop_height = 6;
  const auto orientations = [&](int width) {
    config.crop = width;
    const Batch batch = make_batch(config, scenes, 0);
    EXPECT_EQ(batch.height, 6);
    EXPECT_EQ(batch.width, width);
    std::set<std::array<int, 4>> found;
    for (int i = 0; i < batch.size; ++i) found.insert(expect_window(scenes, batch, i, {0, 0, 6, width}));
    return found.size();
  };
  EXPECT_EQ(orientations(12), 8u);
  EXPECT_EQ(orientations(16), 4u);  // no scene has 16 rows: not turned by 90°
  config.plain = 0;
  const Batch spliced = make_batch(config, scenes, 0);
  for (const int top : {0, 3}) {
    for (const int left : {0, 8}) expect_window(scenes, spliced, 0, {top, left, 3, 8});
  }
}

TEST(Samples, SplicedOnesAreFourWindowsAsTheyAre) {
  const CodedScenes scenes;
  for (const int crop : {10, 11}) {
    TrainConfig config = small_config();
    config.crop = crop;
    config.plain = 0;
    config.batch = 40;
    const Batch batch = make_batch(config, scenes, 0);
    const int half = crop / 2;
    const int rest = crop - half;
    std::size_t mixed = 0;
    for (int i = 0; i < batch.size; ++i) {
      std::string names;
      std::set<int> parts;
      for (const Region& part : {Region{0, 0, half, half}, Region{0, half, half, rest}, Region{half, 0, rest, half},
                                 Region{half, half, rest, rest}}) {
        EXPECT_EQ(expect_window(scenes, batch, i, part), (std::array<int, 4>{1, 0, 0, 1}));
        const auto scene = scenes.place(at(batch, batch.truth, i, 0, part.top, part.left)).scene;
        names += (names.empty() ? "" : " + ") + scenes.name(static_cast<std::size_t>(scene));
        parts.insert(scene);
      }
      EXPECT_EQ(batch.scenes[static_cast<std::size_t>(i)], names);
      mixed += parts.size() > 1;
    }
    EXPECT_GT(mixed, 30u);
  }
}

TEST(Samples, AreExposedBetweenTheLimitsAndNeverAboveWhite) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.plain = 1;
  config.batch = 100;
  config.exposure = 4;
  const Batch exposed = make_batch(config, scenes, 0);
  config.exposure = 1;
  const Batch as_they_are = make_batch(config, scenes, 0);
  float least = 9;
  float most = 0;
  const auto size = static_cast<std::ptrdiff_t>(exposed.truth.size() / 100);
  for (int i = 0; i < 100; ++i) {
    const float* a = as_they_are.truth.data() + i * size;
    const float* b = exposed.truth.data() + i * size;
    const float brightest = *std::max_element(b, b + size);
    const float gain = brightest / *std::max_element(a, a + size);
    for (std::ptrdiff_t k = 0; k < size; ++k) EXPECT_NEAR(b[k], gain * a[k], 1e-6f);
    EXPECT_LE(brightest, 1);
    least = std::min(least, gain);
    most = std::max(most, gain);
  }
  EXPECT_GE(least, 0.25f);
  EXPECT_LT(least, 0.3f);
  EXPECT_GT(most, 3.3f);  // the scenes' codes end far below white
  EXPECT_LE(most, 4.0f);
}

/// White everywhere: a sample shows its lamps.
class WhiteScene : public SceneStore {
 public:
  std::size_t count() const override { return 1; }
  int bands() const override { return kBands; }
  const std::string& name(std::size_t) const override { return name_; }
  int height(std::size_t) const override { return kSide; }
  int width(std::size_t) const override { return kSide; }
  const std::uint16_t* values(std::size_t) const override { return values_.data(); }

 private:
  static constexpr int kBands = 4;
  static constexpr int kSide = 16;
  std::string name_ = "white";
  std::vector<std::uint16_t> values_ = std::vector<std::uint16_t>(std::size_t{kBands} * kSide * kSide, 65535);
};

TEST(Samples, EachCropHasALampOfItsOwn) {
  const WhiteScene scenes;
  TrainConfig config = small_config(4);
  config.crop = 10;
  config.plain = 0;
  config.batch = 100;
  config.relight = 0.25;
  const Batch batch = make_batch(config, scenes, 0);
  int relit = 0;
  for (int i = 0; i < batch.size; ++i) {
    std::set<std::array<float, 4>> lamps;
    int white = 0;
    for (const Region& part : {Region{0, 0, 5, 5}, Region{0, 5, 5, 5}, Region{5, 0, 5, 5}, Region{5, 5, 5, 5}}) {
      std::array<float, 4> lamp{};
      for (int b = 0; b < 4; ++b) {
        lamp[static_cast<std::size_t>(b)] = at(batch, batch.truth, i, b, part.top, part.left);
        for (int y = 0; y < 5; ++y) {
          for (int x = 0; x < 5; ++x) {
            EXPECT_EQ(at(batch, batch.truth, i, b, part.top + y, part.left + x), lamp[static_cast<std::size_t>(b)]);
          }
        }
      }
      EXPECT_EQ(*std::ranges::max_element(lamp), 1);
      const bool same = lamp == std::array<float, 4>{1, 1, 1, 1};
      white += same;
      if (!same) lamps.insert(lamp);
    }
    EXPECT_EQ(lamps.size() + static_cast<std::size_t>(white), 4u);  // no lamp lights two crops
    relit += 4 - white;
  }
  EXPECT_NEAR(relit, 100, 25);
  config.relight = 0;
  const Batch as_it_is = make_batch(config, scenes, 0);
  EXPECT_TRUE(std::ranges::all_of(as_it_is.truth, [](float v) { return v == 1; }));
}

TEST(Samples, ShareOfPlainOnes) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  const auto plain = [&](int size, double share) {
    config.batch = size;
    config.plain = share;
    const Batch batch = make_batch(config, scenes, 3);
    const auto is_plain = [](const std::string& name) { return name.find('+') == std::string::npos; };
    const auto count = std::ranges::count_if(batch.scenes, is_plain);
    EXPECT_TRUE(std::all_of(batch.scenes.begin(), batch.scenes.begin() + count, is_plain));  // they come first
    return count;
  };
  EXPECT_EQ(plain(5, 0.5), 2);
  EXPECT_EQ(plain(1, 0.5), 0);
  EXPECT_EQ(plain(4, 0), 0);
  EXPECT_EQ(plain(4, 1), 4);
  EXPECT_EQ(plain(100, 0.29), 29);  // 100 · 0.29 is 28.999…
}

/// y·2/bands·gain, shifted back, computed pixel by pixel.
double expected_measurement(const Batch& batch, int step, double gain, int i, int b, int y, int x) {
  double sum = 0;
  const int column = x + step * b;
  for (int k = 0; k < batch.bands; ++k) {
    const int source = column - step * k;
    if (source < 0 || source >= batch.width) continue;
    sum += static_cast<double>(mask_at(batch, i, y, source)) * at(batch, batch.truth, i, k, y, source);
  }
  return sum * 2 / batch.bands * gain;
}

TEST(Samples, MeasurementIsTheCamerasAtTheScaleOfTheNetwork) {
  const CodedScenes scenes(5);
  for (const int step : {0, 1, 2}) {
    TrainConfig config = small_config(5);
    config.model.step = step;
    config.measurement_gain = 1.2;
    config.masks = {{.kind = MaskSource::Kind::grey}};
    const Batch batch = make_batch(config, scenes, 0);
    for (int i = 0; i < batch.size; ++i) {
      for (int b = 0; b < batch.bands; ++b) {
        for (int y = 0; y < batch.height; ++y) {
          for (int x = 0; x < batch.width; ++x) {
            EXPECT_NEAR(at(batch, batch.measurement, i, b, y, x), expected_measurement(batch, step, 1.2, i, b, y, x),
                        1e-7);
          }
        }
      }
    }
  }
}

TEST(Samples, MeasurementInArbitraryUnitsReaches0Point8) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  const Batch sum = make_batch(config, scenes, 0);
  config.model.scale = MeasurementScale::max;
  const Batch max = make_batch(config, scenes, 0);
  EXPECT_EQ(sum.truth, max.truth);
  const auto size = static_cast<std::ptrdiff_t>(sum.measurement.size()) / sum.size;
  for (int i = 0; i < sum.size; ++i) {
    const float* a = sum.measurement.data() + i * size;
    const float* b = max.measurement.data() + i * size;
    EXPECT_NEAR(*std::max_element(b, b + size), 0.8f, 1e-6f);
    const float factor = 0.8f / *std::max_element(a, a + size);
    for (std::ptrdiff_t k = 0; k < size; ++k) EXPECT_NEAR(b[k], factor * a[k], 1e-6f);
  }
}

/// All values alike and an all but open mask, so that the measurement is nearly flat and bright.
class BrightScene : public SceneStore {
 public:
  std::size_t count() const override { return 1; }
  int bands() const override { return 4; }
  const std::string& name(std::size_t) const override { return name_; }
  int height(std::size_t) const override { return 128; }
  int width(std::size_t) const override { return 128; }
  const std::uint16_t* values(std::size_t) const override { return values_.data(); }

 private:
  std::string name_ = "bright";
  std::vector<std::uint16_t> values_ = std::vector<std::uint16_t>(4 * 128 * 128, 40000);
};

/// Of band 0, noise over its expected deviation: mean and mean square.
std::pair<double, double> noise_moments(TrainConfig config, const std::string& noise, double variance,
                                        double variance_per_value) {
  const BrightScene scene;
  config.noises = {{"none", 1}};
  const Batch clean = make_batch(config, scene, 7);
  config.noises = {{noise, 1}};
  const Batch noisy = make_batch(config, scene, 7);
  EXPECT_EQ(clean.mask, noisy.mask);
  EXPECT_EQ(clean.truth, noisy.truth);
  double sum = 0;
  double squares = 0;
  int n = 0;
  for (int i = 0; i < clean.size; ++i) {
    for (int y = 0; y < clean.height; ++y) {
      for (int x = 0; x < clean.width; ++x) {
        const double value = at(clean, clean.measurement, i, 0, y, x);
        const double residual = at(noisy, noisy.measurement, i, 0, y, x) - value;
        const double deviation = std::sqrt(variance + variance_per_value * value);
        sum += residual / deviation;
        squares += residual * residual / (deviation * deviation);
        ++n;
      }
    }
  }
  EXPECT_EQ(n, 4 * 128 * 128);
  return {sum / n, squares / n};
}

TEST(Samples, NoiseActsOnTheScaledMeasurement) {
  TrainConfig config = small_config(4);
  config.crop = 128;
  config.batch = 4;
  config.measurement_gain = 1.2;
  config.masks = {{.kind = MaskSource::Kind::grey, .low = 0.8, .high = 0.9}};
  // 65536 pixels: five standard errors are 0.02 of the mean and 0.028 of the mean square.
  const auto [mean, square] = noise_moments(config, "gaussian:0.05", 0.05 * 0.05, 0);
  EXPECT_NEAR(mean, 0, 0.02);
  EXPECT_NEAR(square, 1, 0.028);
  // n = floor(y·2048/0.4) photons, binomial(n, 0.4)/2048: variance n·0.4·0.6/2048² = y·0.6/2048; the floor takes 0.2
  // levels on average.
  const auto [shot_mean, shot_square] = noise_moments(config, "shot11", 0, 0.6 / 2048);
  EXPECT_NEAR(shot_mean, 0, 0.03);
  EXPECT_NEAR(shot_square, 1, 0.03);
}

TEST(Samples, NoiseModelsAreMixedByWeight) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.batch = 400;
  config.noises = {{"none", 1}, {"gaussian:1", 3}, {"gaussian:1000", 0}};
  const Batch batch = make_batch(config, scenes, 0);
  int clean = 0;
  for (int i = 0; i < batch.size; ++i) {
    double worst = 0;
    for (int y = 0; y < batch.height; ++y) {
      const double error = at(batch, batch.measurement, i, 0, y, 5) - expected_measurement(batch, 2, 1, i, 0, y, 5);
      worst = std::max(worst, std::fabs(error));
    }
    clean += worst < 1e-6;
    EXPECT_LT(worst, 100);  // never the one without weight
  }
  EXPECT_NEAR(clean, 100, 45);  // five standard deviations of binomial(400, 0.25)
}

TEST(BatchLoader, GivesTheBatchesOfMakeBatchInOrder) {
  const CodedScenes scenes;
  TrainConfig config = small_config();
  config.noises = {{"shot11", 1}};
  std::vector<Batch> expected;
  for (int index = 0; index < 36; ++index) expected.push_back(make_batch(config, scenes, index));
  for (const int threads : {0, 1, 2, 3, 4}) {
    for (const auto& [first, stride] : {std::pair{0, 1}, std::pair{5, 1}, std::pair{2, 3}}) {
      BatchLoader loader(config, scenes, first, stride, threads);
      for (int k = 0; k < 12; ++k) expect_same(*loader.next(), expected[static_cast<std::size_t>(first + k * stride)]);
    }
  }
}

TEST(BatchLoader, MakesBatchesInTheMemoryOfThoseGivenBack) {
  const CodedScenes scenes;
  const TrainConfig config = small_config();
  BatchLoader loader(config, scenes, 0, 1, 2);
  std::set<const float*> places;
  for (int k = 0; k < 40; ++k) {
    auto batch = loader.next();
    expect_same(*batch, make_batch(config, scenes, k));
    places.insert(batch->truth.data());
    batch->truth.assign(batch->truth.size(), -1.0f);  // nothing of it may be seen again
    loader.give_back(std::move(batch));
  }
  // Four ahead, one in hand and, when both threads start on one at the same moment, a few more.
  EXPECT_LE(places.size(), 12u);
}

/// Calls back before it gives values.
class WatchedScenes : public CodedScenes {
 public:
  explicit WatchedScenes(std::function<void()> watch) : watch_(std::move(watch)) {}
  const std::uint16_t* values(std::size_t scene) const override {
    watch_();
    return CodedScenes::values(scene);
  }

 private:
  std::function<void()> watch_;
};

TEST(BatchLoader, RelaysErrors) {
  std::atomic<int> calls = 0;
  const WatchedScenes scenes([&] {
    if (++calls > 30) throw Error("the disk is gone");
  });
  TrainConfig config = small_config();
  config.plain = 1;  // 6 calls a batch: five batches are good
  BatchLoader loader(config, scenes, 0, 1, 1);
  for (int k = 0; k < 5; ++k) expect_same(*loader.next(), make_batch(config, CodedScenes(), k));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(error_of<Error>([&] { loader.next(); }), "the disk is gone");
}

TEST(BatchLoader, StopsWithoutFinishingItsBatches) {
  const WatchedScenes scenes([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); });
  TrainConfig config = small_config();
  config.plain = 1;
  config.batch = 10'000;  // twenty seconds
  const auto start = std::chrono::steady_clock::now();
  { const BatchLoader loader(config, scenes, 0, 1, 3); }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(BatchLoader, MakesAFewBatchesAheadAndNoMore) {
  std::atomic<int> calls = 0;
  const WatchedScenes scenes([&] { ++calls; });
  TrainConfig config = small_config();
  config.plain = 1;
  BatchLoader loader(config, scenes, 0, 1, 2);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (calls < 24 && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(calls, 4 * 6);
}

TEST(BatchLoader, LeavesOpenMpToTheStep) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(3);
  std::atomic<int> most = 0;
  const WatchedScenes scenes([&] { most = std::max(most.load(), omp_get_max_threads()); });
  BatchLoader(small_config(), scenes, 0, 1, 2).next();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_num_threads(before);
}

TEST(Samples, RefuseWhatCannotWork) {
  const CodedScenes scenes;
  const auto message = [&](auto change) {
    TrainConfig config = small_config();
    change(config);
    const std::string error = error_of<InputError>([&] { make_batch(config, scenes, 0); });
    EXPECT_EQ(error_of<InputError>([&] { BatchLoader(config, scenes, 0, 1, 1); }), error);
    return error;
  };
  EXPECT_EQ(message([](TrainConfig& c) { c.masks.clear(); }),
            "training configuration: masks: expected at least one: a mask file, or random masks, found none");
  EXPECT_EQ(message([](TrainConfig& c) { c.crop = 14; }),
            "training data: size: expected scenes of at least 14×14, the crop, found scene0 (13×24)");
  EXPECT_EQ(message([](TrainConfig& c) { c.crop = 20; }),
            "training data: size: expected scenes of at least 20×20, the crop, found scene0 (13×24), scene1 (14×21), "
            "scene2 (15×18)");
  EXPECT_EQ(message([](TrainConfig& c) { c.crop = 1; }),
            "training configuration: crop: expected 2 … 16384 pixels, found 1");
  EXPECT_EQ(message([](TrainConfig& c) { c.batch = 0; }),
            "training configuration: batch: expected 1 … 16384 samples, found 0");
  EXPECT_EQ(message([](TrainConfig& c) { c.plain = 1.5; }),
            "training configuration: plain: expected a share of 0 … 1, found 1.5");
  EXPECT_EQ(message([](TrainConfig& c) { c.measurement_gain = 0; }),
            "training configuration: measurement_gain: expected a number above 0, found 0");
  EXPECT_EQ(message([](TrainConfig& c) { c.model.bands = 4; }),
            "training configuration: bands: expected those of the scenes, found 4 in the model, 3 in the scenes");
  EXPECT_EQ(message([](TrainConfig& c) {
              c.noises = {{"none", 0}};
            }),
            "training configuration: noises: weight: expected a weight above 0, found none");
  EXPECT_EQ(message([](TrainConfig& c) {
              c.noises = {{"none", -1}};
            }),
            "training configuration: noises: weight: expected weights of at least 0, found -1");
  EXPECT_NE(message([](TrainConfig& c) { c.noises = {{"fog", 1}}; }).find("noise 'fog'"), std::string::npos);
}

}  // namespace
}  // namespace snapcube
