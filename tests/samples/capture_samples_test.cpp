// Samples for networks that take any camera.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <snapcube/error.h>

#include "models/networks.h"
#include "samples/samples.h"
#include "samples/scenes.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::CodedScenes;
using testing::error_of;
using testing::small_config;

TrainConfig any_camera() {
  TrainConfig config = small_config();
  const int bands = config.model.bands;
  config.model = network_config("prism-s");
  config.model.bands = bands;
  config.model.wavelengths.clear();
  config.batch = 100;
  return config;
}

bool is_usual(const CaptureSample& sample, int step) {
  const int bands = sample.masks.bands();
  for (int b = 0; b < bands; ++b) {
    if (sample.positions[static_cast<std::size_t>(b)] != b * step) return false;
    if (!std::equal(sample.masks.band(0), sample.masks.band(0) + sample.masks.band_size(), sample.masks.band(b))) {
      return false;
    }
  }
  return sample.weights.empty();
}

TEST(CaptureSamples, AShareHasTheUsualCamera) {
  const CodedScenes scenes;
  TrainConfig config = any_camera();
  config.cameras = {.dispersion = 1, .shortest = 7, .longest = 9, .per_band = 1, .mismatch = 1, .dead_pixels = 1};
  const auto usual = [&](double share) {
    config.usual_camera = share;
    const Batch batch = make_batch(config, scenes, 0);
    return std::ranges::count_if(batch.captures, [&](const auto& c) { return is_usual(c, config.model.step); });
  };
  EXPECT_EQ(usual(0), 0);
  EXPECT_NEAR(static_cast<double>(usual(0.3)), 30, 14);
  EXPECT_EQ(usual(1), 100);
}

TEST(CaptureSamples, TheUsualCameraHasAMaskOfTheFirstSource) {
  const CodedScenes scenes;
  TrainConfig config = any_camera();
  config.masks = {{.kind = MaskSource::Kind::grey, .weight = 0.01}, {.kind = MaskSource::Kind::binary, .weight = 10}};
  const auto binary = [&] {
    const Batch batch = make_batch(config, scenes, 0);
    return std::ranges::count_if(batch.captures, [](const CaptureSample& sample) {
      return std::ranges::all_of(sample.masks.values(), [](float v) { return v == 0 || v == 1; });
    });
  };
  EXPECT_GT(binary(), 90);
  config.usual_camera = 1;
  EXPECT_EQ(binary(), 0);
}

TEST(CaptureSamples, HalfOfTheRelitCropsHaveAMeasuredLamp) {
  const CodedScenes scenes;
  const std::string file = ::testing::TempDir() + "capture_samples_lamps.csv";
  // One band only: no drawn lamp is as dark elsewhere.
  std::ofstream(file) << "name,400,500,600\nline,0,1,0\n";
  TrainConfig config = any_camera();
  config.relight = 1;
  config.plain = 1;
  config.lamps = file;
  EXPECT_NE(error_of<InputError>([&] { make_batch(config, scenes, 0); }).find("a model with wavelengths"),
            std::string::npos);
  for (int b = 0; b < config.model.bands; ++b) config.model.wavelengths.push_back(b == 1 ? 500 : 400 + b);
  std::ranges::sort(config.model.wavelengths);
  config.model.wavelengths.front() = 400;
  const Batch batch = make_batch(config, scenes, 0);
  const std::size_t pixels = static_cast<std::size_t>(batch.height) * static_cast<std::size_t>(batch.width);
  int dark = 0;
  for (int i = 0; i < batch.size; ++i) {
    const float* first = batch.truth.data() + static_cast<std::size_t>(i * batch.bands) * pixels;
    dark += std::all_of(first, first + pixels, [](float v) { return v == 0; });
  }
  EXPECT_NEAR(dark, 50, 18);
  std::filesystem::remove(file);
  EXPECT_NE(error_of<InputError>([&] { make_batch(config, scenes, 0); }).find(file), std::string::npos);
}

}  // namespace
}  // namespace snapcube
