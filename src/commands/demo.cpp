// snapcube demo: the whole way from a scene to pictures and numbers, in a few seconds.

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube demo
  snapcube demo --scene chart --output /tmp/demo
  snapcube demo --methods gap-tv,desci

Without --methods, it runs the installed model and the two fast solvers.)";

struct Demo {
  std::string scene = "still-life";
  std::string folder = "demo-output";
  std::uint64_t seed = 1;
  std::vector<std::string> chosen;

  void run() const;

 private:
  std::vector<std::string> shown() const;
};

std::vector<std::string> Demo::shown() const {
  if (!chosen.empty()) return chosen;
  std::vector<std::string> names = {"gap-tv", "twist"};
  if (const auto model = default_model()) names.insert(names.begin(), *model);
  return names;
}

void Demo::run() const {
  const fs::path out = folder;
  fs::create_directories(out);
  fmt::print(
      "A synthetic scene ('{}', 28 bands of 256×256) seen through a random binary mask,\n"
      "dispersed by 2 pixels a band onto one 256×310 frame, and reconstructed from it.\n\n",
      scene);
  const Cube truth = make_scene(scene, {.seed = seed});
  const Camera camera(random_mask(256, 256, MaskKind::binary, 0.5, seed));
  const Image measurement = camera.forward(truth);
  write_measurement(measurement, (out / "measurement.png").string());
  write_mask(camera.mask(), (out / "mask.png").string(), {.type = SampleType::u8});
  write(truth, (out / "truth.mat").string());

  const std::vector<std::string> names = shown();
  fmt::print("{:<10}{:>9}{:>9}{:>9}{:>9}\n", "method", "time", "PSNR dB", "SSIM", "SAM °");
  for (const std::string& name : names) {
    Reconstructor reconstructor = Reconstructor::open(name);
    ProgressLine line(name);
    const auto start = std::chrono::steady_clock::now();
    const Cube cube = reconstructor.reconstruct(measurement, camera, [&](const Progress& p) {
      line.update(static_cast<double>(p.iteration) / p.total);
      return !interrupted();
    });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Scores scores = score(cube, truth);
    clear_progress_line();
    fmt::print("{:<10}{:>9}{:>9.2f}{:>9.4f}{:>9.2f}\n", name, duration_text(seconds), scores.psnr, scores.ssim,
               scores.sam);
    PreviewOptions options;
    options.title = fmt::format("{} · {} · {}", scene, name, duration_text(seconds));
    options.measurement = &measurement;
    options.truth = &truth;
    options.misfit = camera.misfit(cube, measurement);
    options.spectra = 3;
    write_png(render_preview(cube, options), (out / (name + ".png")).string());
    write(cube, (out / (name + ".mat")).string());
  }
  fmt::print("\nLook at:\n");
  for (const std::string& name : names) fmt::print("  {}\n", (out / (name + ".png")).string());
  fmt::print(
      "\nThe measurement, the mask and the cubes are beside them. Next:\n"
      "  {3} inspect {0}\n"
      "  {3} reconstruct {1} --mask {2} -o cube.h5 --preview cube.png\n"
      "  {3} reconstruct --help\n",
      (out / (names.front() + ".mat")).string(), (out / "measurement.png").string(), (out / "mask.png").string(),
      program_name());
}

}  // namespace

void add_demo(CLI::App& program) {
  auto command = std::make_shared<Demo>();
  CLI::App* sub = program.add_subcommand("demo", "simulate, reconstruct, evaluate and draw a scene, in a few seconds");
  sub->add_option("--scene", command->scene, "which synthetic scene")->capture_default_str();
  sub->add_option("--output", command->folder, "folder for the pictures and files")->capture_default_str();
  sub->add_option("--seed", command->seed, "seed of the scene and the mask")->capture_default_str();
  sub->add_option("--methods", command->chosen, "methods and models, separated by commas")->delimiter(',');
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
