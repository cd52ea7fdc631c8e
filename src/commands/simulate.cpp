// snapcube simulate: what a camera would measure of a scene.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/text.h"
#include "calibration/simulated_bench.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/options.h"
#include "optics/wavelength_text.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube simulate scene01.mat --mask mask.mat -o shot.mat
  snapcube simulate beads_ms/ --crop 0,0,256,256 --mask mask.mat --noise shot11 --seed 7 -o shot.mat
  snapcube simulate --scene chart --random-mask binary --save-mask mask.mat --save-truth truth.mat -o shot.mat
  snapcube simulate scene.hdr --camera camera.h5 --noise poisson:4000+gaussian:0.002 -o shot.h5
  snapcube simulate --bench bench/ --size 128x128 --wavelengths 450:20:11 --missing 530
  snapcube simulate scene.hdr --mask mask.png --offsets 0,1.9,3.7,5.4 --noise gaussian:0.01+quantise:12 -o shot.tif

A scene is resampled to the camera's wavelengths. Without --bands, --offsets or --wavelengths, the camera has the 28
published bands; if the scene has no wavelengths, the camera has as many bands as the scene.

--bench writes what a bench would have for `snapcube calibrate`: captures of the mask under narrow-band light, dark frames,
even light at several exposures, a white target, the mask without disperser, a scene; and the truth. Its optics blur
(--blur), turn the bands against each other (--turn) and disperse as a prism does, --step pixels a band on average.

Noise: none, or stages joined by '+':
  shot11[:GAIN]         11-bit shot noise: binomial(floor(g·y·2048/0.4), 0.4)/2048/g; g is 2.4/bands unless given
  gaussian:SIGMA        read noise, in the measurement's units
  poisson:PHOTONS       photons at a value of 1
  quantise:BITS[:FULL]  to 2^BITS levels of 0 … FULL (default: the largest value))";

struct Simulate {
  std::string scene_file;
  std::string scene_kind;
  std::string size = "256x256";
  std::string crop;
  std::string mask_file;
  std::string random_mask;
  double density = 0.5;
  std::string noise = "none";
  std::uint64_t seed = 1;
  std::string output;
  std::string save_mask;
  std::string save_truth;
  std::string bench;
  std::string missing;
  double blur = BenchOptions().blur;
  double turn = 0;
  double angle = 0;
  ReadFlags read;
  WriteFlags write_flags;
  CameraFlags camera;

  void run() const;
  void write_a_bench() const;
  Cube scene(const CameraOptions& options) const;
  Image drawn_mask(const Cube& scene) const;
};

SceneOptions synthetic_options(const std::string& size, std::uint64_t seed) {
  const auto parts = split(size, 'x');
  const auto height = parts.size() == 2 ? parse_int(parts[0]) : std::nullopt;
  const auto width = parts.size() == 2 ? parse_int(parts[1]) : std::nullopt;
  if (!height || !width || *height < 1 || *width < 1 || *height > 20000 || *width > 20000) {
    throw InputError("--size", "", "HEIGHTxWIDTH such as 256x256", fmt::format("'{}'", size));
  }
  SceneOptions options;
  options.height = static_cast<int>(*height);
  options.width = static_cast<int>(*width);
  options.seed = seed;
  return options;
}

Cube Simulate::scene(const CameraOptions& options) const {
  if (!scene_kind.empty()) {
    SceneOptions wanted = synthetic_options(size, seed);
    if (!options.wavelengths.empty()) {
      wanted.wavelengths = options.wavelengths;
    } else if (options.bands != 28) {
      wanted.wavelengths = even_wavelengths(450, options.bands > 1 ? 200.0 / (options.bands - 1) : 1, options.bands);
    }
    return make_scene(scene_kind, wanted);
  }
  Cube cube = read_cube(scene_file, read.options());
  if (!crop.empty()) cube = snapcube::crop(cube, parse_region(crop, "--crop"));
  return cube;
}

/// The camera's bands, where the user did not say; and the scene at the camera's wavelengths.
void match_bands(Cube& scene, CameraOptions& options, const std::string& name) {
  const bool same_grid = scene.wavelengths == options.wavelengths;
  if (scene.wavelengths.empty() || same_grid) return;
  if (options.wavelengths.empty()) {
    if (scene.bands() == options.bands) {
      options.wavelengths = scene.wavelengths;
      return;
    }
    if (options.bands != static_cast<int>(published_wavelengths().size())) return;
    options.wavelengths = published_wavelengths();
  }
  log_info(fmt::format("{}: {} bands ({:g}–{:g} nm) resampled to {} ({:g}–{:g} nm)", name, scene.bands(),
                       scene.wavelengths.front(), scene.wavelengths.back(), options.bands, options.wavelengths.front(),
                       options.wavelengths.back()));
  scene = resample(scene, options.wavelengths, Interpolation::linear, name);
}

Image Simulate::drawn_mask(const Cube& scene) const {
  const auto kind = random_mask == "grey" ? MaskKind::grey : MaskKind::binary;
  return snapcube::random_mask(scene.height(), scene.width(), kind, density, seed);
}

void Simulate::write_a_bench() const {
  if (!scene_file.empty() || !mask_file.empty() || !random_mask.empty() || !output.empty() || camera.file_given()) {
    throw InputError("--bench", "", "no scene file, mask, camera or output beside it: it makes its own", "one");
  }
  const CameraOptions wanted = camera.options();
  const SceneOptions frame = synthetic_options(size, seed);
  BenchOptions options;
  options.height = frame.height;
  options.width = frame.width;
  options.wavelengths = wanted.wavelengths.empty()
                            ? (wanted.bands == 28 ? published_wavelengths() : std::vector<double>{})
                            : wanted.wavelengths;
  if (options.wavelengths.empty()) {
    options.wavelengths = even_wavelengths(450, wanted.bands > 1 ? 200.0 / (wanted.bands - 1) : 1, wanted.bands);
  }
  if (!missing.empty()) options.missing = parse_wavelengths(missing, "--missing");
  for (const double nm : options.missing) {
    if (std::ranges::find(options.wavelengths, nm) == options.wavelengths.end()) {
      throw InputError("--missing", "", "wavelengths of the bench's bands", fmt::format("{:g} nm", nm));
    }
  }
  options.step = wanted.step;
  options.axis = wanted.axis;
  options.blur = blur;
  options.turn = turn;
  options.angle = angle;
  options.seed = seed;
  if (!scene_kind.empty()) options.scene = scene_kind;
  write_bench(SimulatedBench(options), bench);
  tell_written(bench, fmt::format("a bench of {} captures", options.wavelengths.size() - options.missing.size()));
}

void Simulate::run() const {
  if (!bench.empty()) return write_a_bench();
  if (output.empty()) throw InputError("--output", "", "the measurement's file (or --bench FOLDER)", "none");
  if (scene_file.empty() == scene_kind.empty()) {
    throw InputError("simulate: expected either a scene file or --scene KIND, found " +
                     std::string(scene_file.empty() ? "neither" : "both"));
  }
  const bool has_mask = !mask_file.empty() || (camera.file_given() && random_mask.empty());
  if (has_mask != random_mask.empty()) {
    throw InputError("simulate: expected either --mask FILE (or --camera FILE) or --random-mask KIND, found " +
                     std::string(has_mask ? "both" : "neither"));
  }
  CameraOptions options = camera.options();
  // What is quickly refused comes before a scene that may take its time.
  static_cast<void>(NoiseModel::parse(noise, 1));
  const std::optional<Camera> given = has_mask ? std::optional(camera.device(mask_file, read.options())) : std::nullopt;
  if (given && !given->plain()) {
    options.bands = given->bands();
    options.wavelengths = given->wavelengths();
  }
  Cube truth = scene(options);
  const std::string name = scene_kind.empty() ? scene_file : scene_kind;
  const bool bands_known = camera.bands_given() || (given && !given->plain());
  if (!bands_known && truth.wavelengths.empty()) options.bands = truth.bands();
  match_bands(truth, options, name);
  if (truth.bands() != options.bands) {
    throw InputError(name, "bands", fmt::format("{}, the camera's", options.bands), std::to_string(truth.bands()));
  }
  const Image aperture = given ? given->mask() : drawn_mask(truth);
  if (aperture.height() != truth.height() || aperture.width() != truth.width()) {
    throw InputError(mask_file.empty() ? camera.file_path() : mask_file, "mask",
                     fmt::format("{}, the scene's size", shape_text(truth.height(), truth.width())),
                     fmt::format("{} (cut the larger one: --crop for the scene, `snapcube convert --crop` for a mask)",
                                 shape_text(aperture.height(), aperture.width())));
  }
  const auto noise_model = NoiseModel::parse(noise, 2.4 / options.bands);
  const Camera device = given && !given->plain() ? Camera(given->masks(), options) : Camera(aperture, options);
  Image measurement = device.forward(truth);
  noise_model.apply(measurement, seed);
  if (!save_mask.empty()) {
    write_mask(aperture, save_mask, {});
    tell_written(save_mask, "mask", aperture);
  }
  if (!save_truth.empty()) {
    truth.wavelengths = device.wavelengths();
    write(truth, save_truth, {});
    tell_written(save_truth, "scene, " + cube_text(truth));
  }
  write_measurement(measurement, output, write_flags.options());
  tell_written(output, "measurement", measurement);
}

}  // namespace

void add_simulate(CLI::App& program) {
  auto command = std::make_shared<Simulate>();
  CLI::App* sub = program.add_subcommand("simulate", "compute what a camera would measure of a scene");
  std::string kinds;
  for (const SceneKind& kind : scene_kinds()) kinds += (kinds.empty() ? "" : ", ") + kind.name;
  sub->add_option("SCENE", command->scene_file, "a cube: file, file:variable or a folder of PNGs");
  sub->add_option("--scene", command->scene_kind, "a synthetic scene in place of a file: " + kinds);
  sub->add_option("--size", command->size, "size of a synthetic scene")->capture_default_str();
  sub->add_option("--crop", command->crop, "use this part of the scene: TOP,LEFT,HEIGHT,WIDTH");
  sub->add_option("--mask", command->mask_file, "the coded aperture, or one for each band; or --camera");
  sub->add_option("--random-mask", command->random_mask, "use a random mask of the scene's size: binary or grey")
      ->check(CLI::IsMember({"binary", "grey"}));
  sub->add_option("--density", command->density, "mean of a random mask")->capture_default_str();
  sub->add_option("--noise", command->noise, "see below")->capture_default_str();
  sub->add_option("--seed", command->seed, "seed of the noise, the random mask and the synthetic scene")
      ->capture_default_str();
  sub->add_option("-o,--output", command->output, "the measurement");
  sub->add_option("--save-mask", command->save_mask, "also write the mask");
  sub->add_option("--save-truth", command->save_truth, "also write the scene, resampled to the camera's bands");
  const char* group = "Bench";
  sub->add_option("--bench", command->bench, "write the frames of a simulated bench into this new folder")
      ->group(group);
  sub->add_option("--blur", command->blur, "deviation of its optics' spot, pixels")
      ->check(CLI::Range(0.0, 10.0))
      ->capture_default_str()
      ->group(group);
  sub->add_option("--turn", command->turn, "degrees by which the last band is turned against the first")
      ->check(CLI::Range(-5.0, 5.0))
      ->capture_default_str()
      ->group(group);
  sub->add_option("--angle", command->angle, "degrees of its dispersion to the axis")
      ->check(CLI::Range(-5.0, 5.0))
      ->capture_default_str()
      ->group(group);
  sub->add_option("--missing", command->missing, "bands without a capture, nm")->group(group);
  command->camera.add_to(*sub);
  command->read.add_to(*sub);
  command->write_flags.add_to(*sub);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
