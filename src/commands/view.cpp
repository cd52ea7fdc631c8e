// snapcube view: cubes in the browser.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <thread>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "base/text.h"
#include "commands/assumed_wavelengths.h"
#include "commands/browser.h"
#include "commands/commands.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "commands/white_flags.h"
#include "io/collection.h"
#include "methods/choose_method.h"
#include "methods/method.h"
#include "serve/server.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube view cube.mat
  snapcube view gap-tv.mat twist.mat --truth scene.mat              compare, with errors and scores
  snapcube view cube.mat --measurement shot.mat --mask mask.mat
  snapcube view --measurement shot.mat --mask mask.mat --model cst-s    reconstructs first
  snapcube view cube.h5 --white white.h5                            reflectance in place of radiance
  snapcube view cube.mat --port 8000 --no-open                      for a tunnel: ssh -L 8000:127.0.0.1:8000 host

The page can be opened on this machine only, and only with the printed address, which contains a secret key. Ctrl-C ends
the viewer.)";

struct View {
  std::vector<std::string> files;
  std::string truth;
  std::string measurement;
  std::string mask;
  std::string model;
  std::string scale;
  std::optional<double> sigma;
  int port = 0;
  bool open = true;
  ReadFlags read;
  CameraFlags camera;
  FrameFlags frames;
  WhiteFlags white;

  void run() const;
  void fill(Gallery& gallery) const;
  void add_model(Gallery& gallery) const;
  Image measured() const;
};

/// Reconstructs a measurement, a model at any σ.
class Run {
 public:
  Run(Reconstructor method, Image measurement, Camera camera, std::optional<WhiteReference> white)
      : method_(std::move(method)),
        measurement_(std::move(measurement)),
        camera_(std::move(camera)),
        white_(std::move(white)) {}

  /// The share of windows that the model leaves out now; nothing for methods that leave none out.
  std::optional<double> sigma() const {
    const Reconstructor::Settings settings = method_.settings();
    const auto found = settings.find("sparsity");
    return found == settings.end() ? std::nullopt : parse_double(found->second);
  }

  /// The first run takes the model as it is: it shows whether there is a σ to set.
  Reconstruction operator()(std::optional<double> sigma) {
    if (screens_ && sigma) method_.configure({{"sparsity", fmt::format("{}", *sigma)}});
    ProgressLine line(method_.method());
    const auto start = std::chrono::steady_clock::now();
    Reconstruction result;
    result.cube = method_.reconstruct(measurement_, camera_, [&](const Progress& p) {
      line.update(static_cast<double>(p.iteration) / p.total);
      return !interrupted();
    });
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (white_) white_->apply(result.cube);
    if (const SparsityMap* map = method_.sparsity_map()) result.sparsity = *map;
    if (const Image* error = method_.expected_error()) result.expected_error = *error;
    screens_ = result.sparsity.has_value();
    return result;
  }

 private:
  Reconstructor method_;
  Image measurement_;
  Camera camera_;
  std::optional<WhiteReference> white_;
  bool screens_ = false;
};

void View::add_model(Gallery& gallery) const {
  if (measurement.empty() || (mask.empty() && !camera.file_given())) {
    throw InputError("--model", "", "a measurement and a mask to work on (--measurement, --mask or --camera)",
                     measurement.empty() ? "no measurement" : "no mask");
  }
  Reconstructor::Settings settings;
  if (!scale.empty()) settings["scale"] = scale;
  if (sigma) settings["sparsity"] = fmt::format("{}", *sigma);
  if (read.max_memory_given() && is_model(model)) settings["max_memory"] = read.max_memory_setting();
  Reconstructor method = Reconstructor::open(model, settings);
  const Camera device = camera.device(mask, read.options(), method.camera_defaults());
  const Detector detector = frames.detector(camera, read.options());
  const auto prepared = [&](const std::string& file, Camera& seen) {
    PreparedFrame frame;
    frames.read_frame(file, detector, read.options(), frame);
    seen.check_measurement(frame.values, file);
    seen.set_weights(frame.weights);
    return std::move(frame.values);
  };
  Camera seen = device;
  Image shot = prepared(measurement, seen);
  std::optional<WhiteReference> target;
  if (white.given()) {
    target = white.reference(read.options(), frames.without_header(), [&](const std::string& capture) {
      Camera of_white = device;
      const Image values = prepared(capture, of_white);
      return method.reconstruct(values, of_white);
    });
  }
  const std::string name = has_weights_extension(model) ? std::filesystem::path(model).stem().string() : model;
  const auto run = std::make_shared<Run>(std::move(method), std::move(shot), std::move(seen), std::move(target));
  gallery.add_model(
      name, [run](std::optional<double> share) { return (*run)(share); }, sigma ? sigma : run->sigma());
}

/// As methods see it, where something was said of its detector.
Image View::measured() const {
  if (!camera.file_given() && frames.arguments().empty()) return read_measurement(measurement, read.options());
  PreparedFrame frame;
  frames.read_frame(measurement, frames.detector(camera, read.options()), read.options(), frame);
  return std::move(frame.values);
}

void View::fill(Gallery& gallery) const {
  if (!model.empty()) add_model(gallery);
  std::optional<WhiteReference> target;
  if (white.given() && (!files.empty() || !truth.empty())) target = white.reference(read.options(), false);
  const auto cube = [&](const std::string& file) {
    Cube values = read_cube_for_viewing(file, read.options());
    if (target) target->apply(values);
    return values;
  };
  for (const std::string& file : files) {
    stop_if_interrupted();
    const bool ambiguous = std::ranges::count(files, stem(file), stem) > 1;
    gallery.add(ambiguous ? file : stem(file), Role::cube, cube(file));
  }
  if (!truth.empty()) gallery.add(stem(truth), Role::truth, cube(truth));
  if (!measurement.empty()) {
    gallery.add(stem(measurement), Role::measurement, measured());
  }
  if (!mask.empty() || camera.file_given()) {
    gallery.add(stem(mask.empty() ? camera.file_path() : mask), Role::mask, camera.device(mask, read.options()).mask());
  }
  if (gallery.size() == 0) {
    throw InputError("view", "", "a cube, a measurement or a mask to show", "nothing");
  }
  const int known = gallery.find(Role::truth);
  for (int id = 0; known >= 0 && id < gallery.size(); ++id) {
    const Source source = *gallery.source(id);
    if (source.role != Role::cube && source.role != Role::reconstruction) continue;
    if (!same_shape(*source.cube, *gallery.source(known)->cube)) {
      log_warning(
          fmt::format("{} has another shape than the truth: it is shown, but not compared with it", source.name));
    }
  }
}

void View::run() const {
  Gallery gallery;
  fill(gallery);
  Site site(gallery, random_token());
  const Server server(site, port);
  clear_progress_line();
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  const bool opened = open && open_browser(server.address());
  log_info(opened ? "the browser opens; Ctrl-C ends the viewer"
                  : "open this address in a browser; Ctrl-C ends the viewer");
  while (!interrupted()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

void add_view(CLI::App& program) {
  auto command = std::make_shared<View>();
  CLI::App* sub = program.add_subcommand("view", "look at cubes in the browser");
  sub->add_option("FILE", command->files, "cubes: files, file:variable, or folders of PNGs");
  sub->add_option("--truth", command->truth, "the true cube: adds errors, scores and true spectra");
  sub->add_option("--measurement", command->measurement, "the camera's measurement");
  sub->add_option("--mask", command->mask, "the coded aperture, or one for each band; or --camera");
  CLI::Option* model = sub->add_option("--model", command->model,
                                       "reconstruct the measurement first: a model or a method, as for `reconstruct`");
  sub->add_option("--sigma", command->sigma,
                  "share of windows that the attention skips at first, 0 … 1 (default: the model's)")
      ->needs(model);
  sub->add_option("--scale", command->scale,
                  "units of the measurement: auto (any), sum (over bands), or max (default: auto, or the model's)")
      ->check(CLI::IsMember({"auto", "sum", "max"}))
      ->needs(model);
  sub->add_option("--port", command->port, "port on 127.0.0.1 (default: any that is free)")
      ->check(CLI::Range(1, 65535));
  sub->add_flag("--open,!--no-open", command->open, "open the browser (default: if there is a screen)");
  command->camera.add_to(*sub);
  command->frames.add_to(*sub);
  command->white.add_to(*sub);
  command->read.add_to(*sub);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
