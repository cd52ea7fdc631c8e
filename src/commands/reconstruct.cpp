// snapcube reconstruct: measurements in, cubes out.

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/process.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/interrupt.h"
#include "commands/live_preview.h"
#include "commands/method_flags.h"
#include "commands/options.h"
#include "io/collection.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube reconstruct shot.mat --mask mask.mat -o cube.mat --preview cube.png
  snapcube reconstruct shot.mat --mask mask.mat --method twist --set iterations=200 -o cube.h5
  snapcube reconstruct shot.mat --mask mask.mat --truth scene.mat --preview cube.png -o cube.mat
  snapcube reconstruct shots/ --mask mask.mat -o cubes/ --format h5
  snapcube reconstruct shots/ --mask mask.mat -o cubes/ --preview pictures/ --exposure 1.5 --grey-bands
  snapcube reconstruct capture.tif --camera camera.h5 -o cube.h5
  snapcube reconstruct frame.raw --raw 2448x2048:u16le --camera camera.h5 --dark dark.raw -o cube.h5
  snapcube reconstruct shot.mat --mask mask.mat --method gap-tv -o cube.mat
  snapcube reconstruct shot.mat --mask mask.mat --model prism-s --expected-error doubt.png -o cube.mat
  snapcube reconstruct real.mat --mask mask.mat --model my.safetensors --passes 2 --sparsity-map where.png -o cube.h5

A model is a weights file, or the name of an installed one (`snapcube models` lists them). Its file says how many bands
it expects, how far apart they are, and in which units. Without --model and --method, cst-s is used; where it is not
installed, or was trained for another kind of camera, GAP-TV is used.

A model that was found to gain by it runs again on what its cube does not explain, and GAP-TV looks for the rest:
--passes and --refine. Under a lamp that the network does not know, it works on the scene without the lamp's lines, or
GAP-TV's cube is taken. --json has the misfit after each pass. The units of the measurement do not matter: the cube has
the same, whatever the method.

If a cube leaves more than a sixth of its measurement unexplained, a message says so. Common reasons: the measurement is
not linear, the mask belongs to another camera or is turned or flipped, the light has lines that the network does not
know. --json has this share as "misfit".

For several measurements, or a folder of them, the output is a folder. A bad file does not stop the others; the exit code
is then 1. A single bad input gives exit code 2.
)";

struct Job {
  std::string input;
  std::string output;
  std::string preview;
  std::string sparsity_map;
  std::string expected_error;
};

struct Outcome {
  Job job;
  double seconds = 0;
  double misfit = 0;  ///< of cube and measurement, see Camera::misfit
  std::optional<double> psnr;
  std::string error;
  std::optional<PassReport> passes = std::nullopt;      ///< of networks
  std::optional<double> expected_error = std::nullopt;  ///< its mean, where the method has one
};

struct Reconstruct {
  std::vector<std::string> inputs;
  std::string mask_file;
  std::string sparsity_map;
  std::string expected_error;
  std::string output;
  std::string format = "mat";
  std::string preview;
  std::string truth_file;
  bool json = false;
  ReadFlags read;
  WriteFlags write_flags;
  CameraFlags camera;
  PreviewFlags preview_flags;
  FrameFlags frames;
  MethodFlags method;

  void run() const;
  bool arbitrary_units() const;
  std::vector<Job> jobs() const;
  Outcome reconstruct(const Job& job, Reconstructor& reconstructor, const Camera& plain, const Detector& detector,
                      const std::string& label) const;
};

std::vector<Job> Reconstruct::jobs() const {
  const bool many = inputs.size() > 1 || is_collection(inputs.front());
  // Nobody is to find one in the place of the other.
  if (!expected_error.empty() && expected_error == output) {
    throw InputError("--expected-error", "", many ? "another folder than the cubes'" : "another file than the cube's",
                     fmt::format("'{}' for both", output));
  }
  if (!many) return {{inputs.front(), output, preview, sparsity_map, expected_error}};
  std::error_code status;
  if (fs::path(output).has_extension() && !fs::is_directory(output, status)) {
    throw InputError("--output", "", "a folder, for several measurements", fmt::format("'{}'", output));
  }
  if (!truth_file.empty()) throw InputError("--truth", "", "a single measurement", "several");
  std::vector<Job> result;
  const auto png = [](const std::string& folder, const std::string& name) {
    return folder.empty() ? "" : (fs::path(folder) / (name + ".png")).string();
  };
  for (const std::string& input : inputs) {
    for (const std::string& file : is_collection(input) ? collection(input) : std::vector{input}) {
      const std::string name = stem(file);
      const std::string array = name + "." + format;
      result.push_back({file, (fs::path(output) / array).string(), png(preview, name), png(sparsity_map, name),
                        expected_error.empty() ? "" : (fs::path(expected_error) / array).string()});
    }
  }
  for (std::size_t i = 1; i < result.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (result[i].output == result[j].output) {
        throw InputError("reconstruct", "measurements", "different names",
                         fmt::format("{} and {}", result[j].input, result[i].input));
      }
    }
  }
  for (const std::string& folder : {output, preview, sparsity_map, expected_error}) {
    if (!folder.empty()) fs::create_directories(folder);
  }
  return result;
}

double mean(const Image& image) {
  double sum = 0;
  for (const float v : image.values()) sum += v;
  return sum / static_cast<double>(image.size());
}

/// As an array in any format, or as a picture.
void write_expected_error(const Image& error, const std::string& path, WriteOptions options) {
  if (lower(path).ends_with(".png")) return write_png(render_expected_error(error), path);
  options.variable = "expected_error";
  write_measurement(error, path, options);
}

Outcome Reconstruct::reconstruct(const Job& job, Reconstructor& reconstructor, const Camera& plain,
                                 const Detector& detector, const std::string& label) const {
  PreparedFrame prepared;
  frames.read_frame(job.input, detector, read.options(), prepared);
  const Image& measurement = prepared.values;
  plain.check_measurement(measurement, job.input);
  std::optional<Camera> weighed;  // what is saturated differs from frame to frame
  if (!prepared.weights.empty()) weighed.emplace(plain).set_weights(prepared.weights);
  const Camera& device = weighed ? *weighed : plain;
  std::optional<Cube> truth;
  if (!truth_file.empty()) truth = read_cube(truth_file, read.options());

  Outcome outcome{.job = job, .psnr = std::nullopt, .error = {}};
  const auto start = std::chrono::steady_clock::now();
  ProgressLine line(label);
  LivePreview preview_picture(job.preview, fmt::format("{} · {}", stem(job.input), reconstructor.method()),
                              preview_flags.options(measurement, truth ? &*truth : nullptr));
  const Cube cube = reconstructor.reconstruct(measurement, device, [&](const Progress& p) {
    line.update(static_cast<double>(p.iteration) / p.total);
    preview_picture.update(p);
    return !interrupted();
  });
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  stop_if_interrupted();
  outcome.misfit = device.misfit(cube, measurement);
  if (const PassReport* told = reconstructor.passes()) outcome.passes = *told;
  if (truth) outcome.psnr = psnr(cube, *truth);
  if (!job.sparsity_map.empty()) {
    const SparsityMap* map = reconstructor.sparsity_map();
    if (!map) throw InputError("--sparsity-map", "", "a model with a sparsity estimator", reconstructor.method());
    write_png(render_sparsity_map(*map), job.sparsity_map);
  }
  const Image* error = reconstructor.expected_error();
  if (error) outcome.expected_error = mean(*error);
  if (!job.expected_error.empty()) {
    if (!error) {
      throw InputError("--expected-error", "", "a network that knows how far off it may be, such as prism-s",
                       reconstructor.method());
    }
    write_expected_error(*error, job.expected_error, write_flags.options());
  }
  write(cube, job.output, write_flags.options());
  preview_picture.finish(cube, outcome.seconds, outcome.misfit, error);
  return outcome;
}

/// What the network's cube left before the solver helped: a solver explains much of anything, with any mask.
double unexplained(const Outcome& done) {
  if (!done.passes || done.passes->misfits.empty()) return done.misfit;
  return done.passes->misfits[static_cast<std::size_t>(done.passes->kept) - 1];
}

/// Says so where a cube cannot be what the camera saw. Real captures with their own mask leave up to 0.16.
void doubt(const Outcome& done) {
  constexpr double kMuch = 0.17;
  const double share = unexplained(done);
  if (!(share > kMuch) || (done.passes && done.passes->lamp != LampSide::known)) return;
  log_info(fmt::format(
      "{}: {:.0f} % of the measurement is not explained. Likely reasons, the likeliest first: the "
      "measurement is not linear or has a black level; the mask is another camera's, turned or "
      "flipped{}",
      done.job.output, 100 * share, done.passes ? "; the lamp has lines that the network does not know" : ""));
}

nlohmann::ordered_json camera_json(const Camera& camera) {
  return {{"bands", camera.bands()},
          {"axis", camera.axis() == Axis::columns ? "columns" : "rows"},
          {"offsets", camera.offsets()},
          {"wavelengths", camera.wavelengths()},
          {"mask", {camera.height(), camera.width()}}};
}

void print_json(const std::vector<Outcome>& outcomes, const std::string& method, const Camera& camera) {
  nlohmann::ordered_json root = {{"method", method},
                                 {"camera", camera_json(camera)},
                                 {"threads", omp_get_max_threads()},
                                 {"peak_memory_mb", static_cast<double>(peak_resident_bytes()) / 1e6},
                                 {"results", nlohmann::ordered_json::array()}};
  for (const Outcome& o : outcomes) {
    nlohmann::ordered_json entry = {{"input", o.job.input}};
    if (o.error.empty()) {
      entry["output"] = o.job.output;
      if (!o.job.preview.empty()) entry["preview"] = o.job.preview;
      if (o.expected_error) entry["expected_error"] = *o.expected_error;
      entry["seconds"] = o.seconds;
      entry["misfit"] = o.misfit;  // null for a black measurement
      if (o.psnr) entry["psnr"] = *o.psnr;
      if (o.passes) {
        entry["passes"] = {{"misfit", o.passes->misfits},
                           {"kept", o.passes->kept},
                           {"refined", o.passes->refined},
                           {"lamp", to_string(o.passes->lamp)}};
      }
    } else {
      entry["error"] = o.error;
    }
    root["results"].push_back(entry);
  }
  fmt::print("{}\n", root.dump(2));
}

/// Counts have no unit of light: a network must not take them for a sum over bands.
bool Reconstruct::arbitrary_units() const {
  try {
    const std::string& first = inputs.front();
    return frames.arbitrary_units(is_collection(first) ? collection(first).at(0) : first, read.options());
  } catch (const InputError&) {
    return false;  // said when its turn comes
  }
}

void Reconstruct::run() const {
  Reconstructor reconstructor = method.open(camera, mask_file, read, [this] { return arbitrary_units(); });
  const Camera device = camera.device(mask_file, read.options(), reconstructor.camera_defaults());
  const MaskReport report = inspect_mask(device.mask());
  if (!report.usable) {
    throw InputError(fmt::format("{}: cannot be used as a mask. {}", mask_file.empty() ? camera.file_path() : mask_file,
                                 fmt::join(report.findings, " ")));
  }
  log_info(fmt::format("{}, camera of {}", reconstructor.method(), camera_text(device)));
  const Detector detector = frames.detector(camera, read.options());
  const auto all = jobs();
  std::vector<Outcome> outcomes;
  std::size_t failures = 0;
  for (const Job& job : all) {
    stop_if_interrupted();
    const std::string label =
        all.size() > 1 ? fmt::format("[{}/{}] {}", outcomes.size() + 1, all.size(), stem(job.input)) : stem(job.input);
    try {
      outcomes.push_back(reconstruct(job, reconstructor, device, detector, label));
      const Outcome& done = outcomes.back();
      if (!json) {
        clear_progress_line();
        fmt::print("{}  ({}{})\n", job.output, duration_text(done.seconds),
                   done.psnr ? fmt::format(", {:.2f} dB", *done.psnr) : "");
      }
      doubt(done);
    } catch (const Interrupted&) {
      throw;
    } catch (const Error& error) {
      if (all.size() == 1) throw;
      ++failures;
      outcomes.push_back({.job = job, .psnr = std::nullopt, .error = error.what()});
      log_warning(error.what());
    }
  }
  if (json) print_json(outcomes, reconstructor.method(), device);
  if (failures > 0) {
    clear_progress_line();
    fmt::print(stderr, "{} of {} failed:\n", failures, all.size());
    for (const Outcome& o : outcomes) {
      if (!o.error.empty()) fmt::print(stderr, "  {}\n", o.error);
    }
    set_exit_code(1);
  }
}

}  // namespace

void add_reconstruct(CLI::App& program) {
  auto command = std::make_shared<Reconstruct>();
  CLI::App* sub = program.add_subcommand("reconstruct", "compute cubes from measurements");
  sub->add_option("MEAS", command->inputs, "measurements: files, file:variable, or a folder")->required();
  sub->add_option("--mask", command->mask_file, "the coded aperture, or one for each band; or --camera");
  CLI::Option* method = command->method.add_to(*sub);
  sub->add_option("--sparsity-map", command->sparsity_map,
                  "write a picture (.png) of where the network looked closely, or a folder for several")
      ->excludes(method)
      ->group("Model");
  sub->add_option("--expected-error", command->expected_error,
                  "write the error that the network expects at each pixel: an array, or for .png a picture; a folder "
                  "for several")
      ->excludes(method)
      ->group("Model");
  sub->add_option("-o,--output", command->output, "the cube, or a folder for several")->required();
  sub->add_option("--format", command->format, "format of the files in an output folder: mat, h5, npy, npz, hdr, tif")
      ->check(CLI::IsMember({"mat", "h5", "npy", "npz", "hdr", "tif"}))
      ->capture_default_str();
  sub->add_option(
      "--preview", command->preview,
      "write a picture of the result (.png), or a folder for several; a long run updates it while it works");
  sub->add_option("--truth", command->truth_file, "the true cube: adds PSNR and an error map");
  sub->add_flag("--json", command->json, "print one JSON object");
  command->preview_flags.add_to(*sub);
  command->camera.add_to(*sub);
  command->frames.add_to(*sub);
  command->read.add_to(*sub);
  command->write_flags.add_to(*sub);
  add_common_options(*sub);
  sub->footer([] { return kExamples + methods_text(); });
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
