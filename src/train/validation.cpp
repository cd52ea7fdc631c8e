#include "train/validation.h"

#include <algorithm>
#include <fmt/format.h>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/log.h>
#include <snapcube/metrics.h>
#include <snapcube/render.h>

#include "base/text.h"
#include "io/collection.h"
#include "samples/scene_files.h"
#include "train/network_method.h"

namespace snapcube {

namespace {

std::string mask_file(const TrainConfig& config) {
  if (!config.validation_mask.empty()) return config.validation_mask;
  for (const MaskSource& source : config.masks) {
    if (source.kind == MaskSource::Kind::file) return source.file;
  }
  throw InputError("validation", "mask", "a mask file: --validation-mask, or one among the masks of the samples",
                   "none");
}

/// A folder of scenes may hold its mask, too.
bool is_mask(const std::string& location) { return lower(stem(location)).find("mask") != std::string::npos; }

std::vector<std::string> validation_scenes(const TrainConfig& config) {
  std::vector<std::string> locations;
  for (const std::string& source : config.validation) {
    if (!is_collection(source)) {
      locations.push_back(source);
      continue;
    }
    for (const std::string& location : collection(source)) {
      if (!is_mask(location)) locations.push_back(location);
    }
  }
  return locations;
}

void warn_of_trained_scenes(const TrainConfig& config, const std::vector<std::string>& locations) {
  for (const SceneFile& trained : find_scenes(config)) {
    if (std::ranges::find(locations, trained.location) != locations.end()) {
      log_warning(fmt::format("{}: used for both training and validation; --exclude {} keeps it out of the training",
                              trained.location, trained.name));
    }
  }
}

}  // namespace

Validation::Validation(const TrainConfig& config) : config_(config) {
  const auto locations = validation_scenes(config);
  if (locations.empty()) return;
  warn_of_trained_scenes(config, locations);
  const ModelConfig& model = config.model;
  camera_.emplace(read_mask(mask_file(config)),
                  CameraOptions{.bands = model.bands, .step = model.step, .wavelengths = model.wavelengths});
  const int height = camera_->height();
  const int width = camera_->width();
  for (const std::string& location : locations) {
    Cube cube = read_scene(location, model);
    if (cube.height() < height || cube.width() < width) {
      throw InputError(location, "scene", fmt::format("at least {}, the mask's size", shape_text(height, width)),
                       shape_text(cube.height(), cube.width()));
    }
    cube = crop(cube, {(cube.height() - height) / 2, (cube.width() - width) / 2, height, width});
    cube.wavelengths = model.wavelengths;
    Image measurement = camera_->forward(cube);
    scenes_.push_back({stem(location), std::move(cube), std::move(measurement)});
  }
}

Cube Validation::reconstruct(const nets::NetworkPtr& network, const Scene& scene, const torch::Device& device) const {
  const auto& values = scene.measurement.values();
  const double gain = config_.model.scale == MeasurementScale::sum
                          ? 2.0 / config_.model.bands * config_.measurement_gain
                          : 0.8 / *std::ranges::max_element(values);
  Cube input = camera_->shift_back(scene.measurement);
  for (float& v : input.values()) v = static_cast<float>(v * gain);
  Cube cube = run_network(*network, std::move(input), camera_->mask(), device);
  cube.wavelengths = scene.truth.wavelengths;
  return cube;
}

ValidationResult Validation::run(const nets::NetworkPtr& network, const torch::Device& device) const {
  ValidationResult result;
  for (const Scene& scene : scenes_) {
    const Cube cube = reconstruct(network, scene, device);
    result.scenes.push_back({scene.name, psnr(cube, scene.truth), ssim(cube, scene.truth)});
    result.psnr += result.scenes.back().psnr / static_cast<double>(scenes_.size());
    result.ssim += result.scenes.back().ssim / static_cast<double>(scenes_.size());
  }
  return result;
}

void Validation::write_preview(const nets::NetworkPtr& network, const torch::Device& device,
                               const std::string& path) const {
  const Scene& scene = scenes_.front();
  const Cube cube = reconstruct(network, scene, device);
  write_png(render_preview(cube, {.title = scene.name, .measurement = &scene.measurement, .truth = &scene.truth}),
            path);
}

}  // namespace snapcube
