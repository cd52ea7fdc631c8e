#include "commands/feedback_check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "base/text.h"
#include "commands/interrupt.h"
#include "io/collection.h"
#include "methods/units.h"
#include "models/weights.h"

namespace snapcube {

namespace {

/// Several passes must win this much without noise, and lose no more with it.
constexpr double kGain = 0.1;
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 30;

/// The middle of a scene, at the model's wavelengths.
Cube scene_for(const std::string& file, const Camera& camera) {
  Cube cube = read_cube(file);
  if (!cube.wavelengths.empty() && !camera.wavelengths().empty() && cube.wavelengths != camera.wavelengths()) {
    cube = resample(cube, camera.wavelengths(), Interpolation::linear, file);
  }
  if (cube.bands() != camera.bands() || cube.height() < camera.height() || cube.width() < camera.width()) {
    throw InputError(
        file, "scene",
        fmt::format("{} bands of at least {}", camera.bands(), shape_text(camera.height(), camera.width())),
        fmt::format("{} of {}", cube.bands(), shape_text(cube.height(), cube.width())));
  }
  return crop(cube, {(cube.height() - camera.height()) / 2, (cube.width() - camera.width()) / 2, camera.height(),
                     camera.width()});
}

/// Mean dB of one pass and of several, over scenes.
struct Measured {
  double one = 0;
  double several = 0;
};

/// One pass sees the frame as it is, several see it at the brightness that frames are brought to.
Measured measure(const std::string& model, const Camera& camera, const std::vector<Cube>& scenes,
                 const std::string& noise) {
  Reconstructor one = Reconstructor::open_model(model, {{"passes", "1"}, {"refine", "none"}, {"scale", "sum"}});
  Reconstructor several = Reconstructor::open_model(model, {{"passes", "auto"}, {"refine", "none"}, {"scale", "sum"}});
  const NoiseModel model_of_noise = NoiseModel::parse(noise, 2.4 / camera.bands());
  Measured mean;
  ProgressLine line("noise: " + noise);
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    stop_if_interrupted();
    line.update(static_cast<double>(i) / static_cast<double>(scenes.size()));
    Image y = camera.forward(scenes[i]);
    model_of_noise.apply(y, 1);
    mean.one += psnr(one.reconstruct(y, camera), scenes[i]);
    const auto factor = static_cast<float>(factor_to_sum(y, camera, Units::automatic, true));
    for (float& v : y.values()) v *= factor;
    Cube cube = several.reconstruct(y, camera);
    for (float& v : cube.values()) v /= factor;
    mean.several += psnr(cube, scenes[i]);
  }
  mean.one /= static_cast<double>(scenes.size());
  mean.several /= static_cast<double>(scenes.size());
  return mean;
}

}  // namespace

void FeedbackCheck::run(bool json) const {
  if (scenes.empty()) throw InputError("--check-feedback", "scenes", "at least one (--scenes)", "none");
  if (mask.empty()) throw InputError("--check-feedback", "mask", "a coded aperture (--mask)", "none");
  Weights weights = read_weights(model, kMaxBytes);
  CameraOptions options;
  options.bands = weights.config.bands;
  options.step = weights.config.step;
  options.wavelengths = weights.config.wavelengths;
  const Camera camera(read_mask(mask), options);
  std::vector<Cube> cubes;
  for (const std::string& source : scenes) {
    for (const std::string& file : is_collection(source) ? collection(source) : std::vector{source}) {
      cubes.push_back(scene_for(file, camera));
    }
  }
  const Measured clean = measure(model, camera, cubes, "none");
  const Measured noisy = measure(model, camera, cubes, "shot11");
  const bool helps = clean.several >= clean.one + kGain && noisy.several >= noisy.one - kGain;
  const bool changed = weights.config.feedback != helps;
  if (changed) {
    weights.config.feedback = helps;
    rewrite_config(model, weights.config, kMaxBytes);
  }
  clear_progress_line();
  if (json) {
    const nlohmann::ordered_json root = {{"model", model},
                                         {"scenes", cubes.size()},
                                         {"one_pass", {{"clean", clean.one}, {"noisy", noisy.one}}},
                                         {"several", {{"clean", clean.several}, {"noisy", noisy.several}}},
                                         {"feedback", helps},
                                         {"changed", changed}};
    fmt::print("{}\n", root.dump(2));
    return;
  }
  fmt::print("{:<24}{:>10}{:>10}\n", "mean dB", "one pass", "several");
  fmt::print("{:<24}{:>10.2f}{:>10.2f}\n", "without noise", clean.one, clean.several);
  fmt::print("{:<24}{:>10.2f}{:>10.2f}\n", "11-bit shot noise", noisy.one, noisy.several);
  fmt::print("Feedback {}; {}\n", helps ? "helps" : "does not help",
             changed ? fmt::format("{} says so now.", model) : fmt::format("{} said so before.", model));
}

}  // namespace snapcube
