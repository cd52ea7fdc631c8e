#include "samples/sample_maker.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include <snapcube/camera.h>
#include <snapcube/error.h>

#include "models/measurement_scale.h"
#include "models/networks.h"
#include "optics/dispersed_row.h"
#include "samples/lamp.h"
#include "samples/orientation.h"

namespace snapcube {

namespace {

constexpr float kWhite = 65535.0f;

void require(bool condition, const char* field, const char* expected, const std::string& found) {
  if (!condition) throw InputError("training configuration", field, expected, found);
}

/// Passes it on when it can be used.
const TrainConfig& checked(const TrainConfig& config, const SceneStore& scenes) {
  check(config.model);
  // Two is the least that can be spliced.
  for (const int side : {config.sample_height(), config.sample_width()}) {
    require(side >= 2 && side <= 1 << 14, "crop", "2 … 16384 pixels", std::to_string(side));
  }
  require(config.batch >= 1 && config.batch <= 1 << 14, "batch", "1 … 16384 samples", std::to_string(config.batch));
  require(config.plain >= 0 && config.plain <= 1, "plain", "a share of 0 … 1", fmt::format("{}", config.plain));
  require(config.exposure >= 1 && std::isfinite(config.exposure), "exposure", "a number from 1",
          fmt::format("{}", config.exposure));
  require(config.relight >= 0 && config.relight <= 1, "relight", "a share of 0 … 1", fmt::format("{}", config.relight));
  require(config.usual_camera >= 0 && config.usual_camera <= 1, "usual_camera", "a share of 0 … 1",
          fmt::format("{}", config.usual_camera));
  require(config.measurement_gain > 0 && std::isfinite(config.measurement_gain), "measurement_gain", "a number above 0",
          fmt::format("{}", config.measurement_gain));
  require(scenes.bands() == config.model.bands, "bands", "those of the scenes",
          fmt::format("{} in the model, {} in the scenes", config.model.bands, scenes.bands()));
  check_scene_sizes(scenes, config.sample_height(), config.sample_width());
  return config;
}

bool takes_any_camera(const ModelConfig& model) {
  const NetworkInfo* network = find_network(model.variant);
  return network && network->any_camera;
}

}  // namespace

SampleMaker::SampleMaker(const TrainConfig& config, const SceneStore& scenes)
    : config_(checked(config, scenes)),
      any_camera_(takes_any_camera(config.model)),
      scenes_(scenes),
      masks_(config.masks, config.sample_height(), config.sample_width()) {
  std::vector<double> weights;
  for (const auto& [text, weight] : config.noises) {
    noises_.push_back(NoiseModel::parse(text));
    weights.push_back(weight);
  }
  if (!config_.lamps.empty()) {
    require(!config_.model.wavelengths.empty(), "lamps", "a model with wavelengths", "one without");
    lamps_ = LampList(config_.lamps, config_.model.wavelengths);
  }
  if (!noises_.empty()) noise_choice_ = WeightedChoice(weights, "noises: weight");
}

std::string SampleMaker::cut(Random& random, bool turned, const Region& target, Cube& cube) const {
  const std::size_t scene = random.below(static_cast<std::uint32_t>(scenes_.count()));
  const std::ptrdiff_t width = scenes_.width(scene);
  const auto window =
      Window::draw(random, scenes_.height(scene), scenes_.width(scene), target.height, target.width, turned);
  const std::uint16_t* from = scenes_.values(scene) + window.top * width + window.left;
  const std::ptrdiff_t band = scenes_.height(scene) * width;
  for (int b = 0; b < cube.bands(); ++b) {
    copy_oriented(from + b * band, width, target.height, target.width, window.orientation,
                  cube.row(b, target.top) + target.left, cube.width(),
                  [](std::uint16_t v) { return static_cast<float>(v) / kWhite; });
  }
  return scenes_.name(scene);
}

void SampleMaker::relight(Random& random, const Region& part, Cube& cube) const {
  if (config_.relight <= 0 || random.uniform() >= config_.relight) return;
  const bool measured = !lamps_.empty() && random.below(2) == 0;
  const std::vector<float> spectrum = measured ? lamps_.draw(random) : lamp_spectrum(random, cube.bands());
  for (int b = 0; b < cube.bands(); ++b) {
    for (int y = part.top; y < part.top + part.height; ++y) {
      float* row = cube.row(b, y) + part.left;
      for (int x = 0; x < part.width; ++x) row[x] *= spectrum[static_cast<std::size_t>(b)];
    }
  }
}

void SampleMaker::expose(Random& random, Cube& cube) const {
  if (config_.exposure <= 1) return;
  const double most = *std::ranges::max_element(cube.values());
  const double gain = std::pow(config_.exposure, random.uniform(-1, 1));
  // Nothing is lost above white.
  const auto factor = static_cast<float>(most > 0 ? std::min(gain, 1 / most) : 1);
  for (float& v : cube.values()) v = std::min(v * factor, 1.0f);
}

void SampleMaker::add_noise(Random& random, Image& measurement) const {
  if (noises_.empty()) return;
  const NoiseModel& noise = noises_[noise_choice_.draw(random)];
  noise.apply(measurement, random.bits());
}

void SampleMaker::capture(const Image& mask, bool usual, Random& random, Workspace& work, CaptureSample& sample) const {
  const int bands = config_.model.bands;
  const CameraVariety variety = usual ? CameraVariety() : config_.cameras;
  sample.positions = draw_positions(variety, random, bands, config_.model.step);
  if (!usual && config_.bend > 0 && random.uniform() < config_.bend) bend_spectra(random, work.truth);
  const Dispersion dispersion(sample.positions, mask.width());
  sample.detector_width = dispersion.detector_width();
  draw_masks(variety, mask, random, bands, work.masks);
  sample.masks = work.masks.assumed;
  Image& y = sample.measurement;
  y = Image(mask.height(), sample.detector_width);
  const std::size_t pitch = mask.size();
  for (int r = 0; r < mask.height(); ++r) {
    project_row(dispersion, {work.truth.row(0, r), pitch}, {work.masks.truth.row(0, r), pitch}, y.row(r));
  }
  // Noise models act in the range of the published simulations.
  const auto scale = static_cast<float>(2.0 / bands * config_.measurement_gain);
  for (float& v : y.values()) v *= scale;
  add_noise(random, y);
  for (float& v : y.values()) v /= scale;
  spoil_pixels(variety, random, y, sample.weights);
}

void SampleMaker::measure(Image mask, Random& random, Workspace& work) const {
  const Camera camera(std::move(mask), {.bands = config_.model.bands, .step = config_.model.step});
  Image y = camera.forward(work.truth);
  const auto scale = static_cast<float>(2.0 / config_.model.bands * config_.measurement_gain);
  for (float& v : y.values()) v *= scale;
  add_noise(random, y);
  if (config_.model.scale == MeasurementScale::max) {
    const float most = *std::ranges::max_element(y.values());
    if (most > 0) {
      for (float& v : y.values()) v *= kScaledMaximum / most;
    }
  }
  camera.shift_back(y, work.measurement);
}

void SampleMaker::make_sample(std::int64_t number, bool plain, Batch& batch, int place, Workspace& work) const {
  Random random(config_.seed, static_cast<std::uint64_t>(number));
  const int height = config_.sample_height();
  const int width = config_.sample_width();
  if (plain) {
    const Region whole{0, 0, height, width};
    batch.scenes.push_back(cut(random, true, whole, work.truth));
    relight(random, whole, work.truth);
  } else {
    const int half_height = height / 2;
    const int half_width = width / 2;
    std::string names;
    for (const int top : {0, half_height}) {
      for (const int left : {0, half_width}) {
        // An odd crop's second halves are one pixel longer.
        const Region part{top, left, top == 0 ? half_height : height - half_height,
                          left == 0 ? half_width : width - half_width};
        names += (names.empty() ? "" : " + ") + cut(random, false, part, work.truth);
        relight(random, part, work.truth);
      }
    }
    batch.scenes.push_back(names);
  }
  expose(random, work.truth);
  const bool usual = any_camera_ && config_.usual_camera > 0 && random.uniform() < config_.usual_camera;
  Image mask = usual ? masks_.draw_first(random) : masks_.draw(random);
  const auto start = static_cast<std::ptrdiff_t>(work.truth.size()) * place;
  if (any_camera_) {
    capture(mask, usual, random, work, batch.captures[static_cast<std::size_t>(place)]);
    std::ranges::copy(work.truth.values(), batch.truth.begin() + start);
    return;
  }
  std::ranges::copy(mask.values(), batch.mask.begin() + static_cast<std::ptrdiff_t>(mask.size()) * place);
  measure(std::move(mask), random, work);
  std::ranges::copy(work.truth.values(), batch.truth.begin() + start);
  std::ranges::copy(work.measurement.values(), batch.measurement.begin() + start);
}

SampleMaker::Workspace SampleMaker::workspace() const {
  const Cube empty(config_.model.bands, config_.sample_height(), config_.sample_width());
  return {empty, empty, any_camera_ ? MaskPair{empty, empty} : MaskPair{}};
}

void SampleMaker::make(std::int64_t index, Batch& batch, Workspace& work, const std::stop_token& stop) const {
  batch.size = config_.batch;
  batch.bands = config_.model.bands;
  batch.height = config_.sample_height();
  batch.width = config_.sample_width();
  batch.truth.resize(work.truth.size() * config_.batch);
  batch.captures.resize(any_camera_ ? static_cast<std::size_t>(config_.batch) : 0);
  batch.measurement.resize(any_camera_ ? 0 : work.truth.size() * config_.batch);
  batch.mask.resize(any_camera_ ? 0 : static_cast<std::size_t>(batch.height) * batch.width * config_.batch);
  batch.scenes.clear();
  // Shares such as 0.29 of 100 have no exact binary form.
  const int plain = static_cast<int>(std::floor(config_.batch * config_.plain + 1e-9));
  for (int i = 0; i < config_.batch && !stop.stop_requested(); ++i) {
    make_sample(index * config_.batch + i, i < plain, batch, i, work);
  }
}

Batch make_batch(const TrainConfig& config, const SceneStore& scenes, std::int64_t index) {
  const SampleMaker maker(config, scenes);
  Batch batch;
  SampleMaker::Workspace work = maker.workspace();
  maker.make(index, batch, work);
  return batch;
}

}  // namespace snapcube
