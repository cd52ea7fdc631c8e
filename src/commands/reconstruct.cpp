// snapcube reconstruct: measurements in, cubes out.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <omp.h>
#include <optional>
#include <set>

#include <snapcube/snapcube.h>

#include "base/process.h"
#include "base/rank_variables.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/fingerprint.h"
#include "commands/frame_folder.h"
#include "commands/frame_run.h"
#include "commands/interrupt.h"
#include "commands/method_flags.h"
#include "commands/options.h"
#include "commands/white_flags.h"
#include "io/collection.h"
#include "io/location.h"
#include "methods/installed_models.h"

namespace snapcube {

namespace {

namespace fs = std::filesystem;

constexpr const char* kExamples = R"(Examples:
  snapcube reconstruct shot.mat --mask mask.mat -o cube.mat --preview cube.png
  snapcube reconstruct shot.mat --mask mask.mat --method twist --set iterations=200 -o cube.h5
  snapcube reconstruct shot.mat --mask mask.mat --truth scene.mat --preview cube.png -o cube.mat
  snapcube reconstruct shots/ --mask mask.mat -o cubes/ --format h5 --summary cubes.csv
  srun -n 8 snapcube reconstruct shots/ --camera camera.h5 -o cubes/ --summary cubes.csv
  snapcube reconstruct shots/ --mask mask.mat -o cubes/ --preview pictures/ --exposure 1.5 --grey-bands
  snapcube reconstruct capture.tif --camera camera.h5 -o cube.h5
  snapcube reconstruct frame.raw --raw 2448x2048:u16le --camera camera.h5 --dark dark.raw -o cube.h5
  snapcube reconstruct capture.tif --camera camera.h5 --white white.tif -o reflectance.h5
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
is then 1. A single bad input gives exit code 2. What is done is not done again: a run that was stopped or killed goes on
with the same command. A frame, or a setting, that has changed since is noticed; --again makes all cubes anew.

Several processes share the frames of a folder: under srun, in a job array, under mpirun or torchrun each takes every
n-th. What one that dies has left is done by the next run.
)";

bool is_folder(const std::string& path) {
  std::error_code status;
  return fs::is_directory(path, status);
}

struct Reconstruct {
  std::vector<std::string> inputs;
  std::string mask_file;
  std::string sparsity_map;
  std::string expected_error;
  std::string output;
  std::string format = "mat";
  std::string preview;
  std::string truth_file;
  std::string summary_file;
  bool again = false;
  bool json = false;
  ReadFlags read;
  WriteFlags write_flags;
  CameraFlags camera;
  PreviewFlags preview_flags;
  FrameFlags frames;
  MethodFlags method;
  WhiteFlags white;

  void run() const;
  bool arbitrary_units() const;
  bool many() const { return inputs.size() > 1 || is_folder(inputs.front()); }
  std::set<fs::path> no_frames() const;
  std::vector<FrameJob> jobs() const;
  std::optional<std::string> weights_of(const Reconstructor& reconstructor) const;
  std::string key(const FrameWork& work) const;
  void run_one(const FrameWork& work) const;
  void run_many(const FrameWork& work) const;
  void write_summary(FrameFolder& folder, const std::string& method_name) const;
};

/// What the command line names as something else: a folder of frames may hold its mask, its dark frame and its white
/// target.
std::set<fs::path> Reconstruct::no_frames() const {
  std::set<fs::path> files;
  std::vector<std::string> words = {mask_file, camera.file_path()};
  for (const auto& more : {frames.arguments(), white.arguments()}) words.insert(words.end(), more.begin(), more.end());
  std::error_code status;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const std::string path = io::parse_location(word).path;
    if (fs::is_regular_file(path, status)) files.insert(fs::weakly_canonical(path, status));
  }
  return files;
}

std::vector<FrameJob> Reconstruct::jobs() const {
  std::error_code status;
  if (fs::path(output).has_extension() && !fs::is_directory(output, status)) {
    throw InputError("--output", "", "a folder, for several measurements", fmt::format("'{}'", output));
  }
  if (!truth_file.empty()) throw InputError("--truth", "", "a single measurement", "several");
  std::vector<FrameJob> result;
  const auto png = [](const std::string& folder, const std::string& name) {
    return folder.empty() ? "" : (fs::path(folder) / (name + ".png")).string();
  };
  std::map<std::string, std::string> taken;  // cubes by their names
  const std::set<fs::path> others = no_frames();
  for (const std::string& input : inputs) {
    const bool folder = is_folder(input);
    for (const std::string& file : folder ? frame_files(input, frames.without_header()) : std::vector{input}) {
      if (folder && others.contains(fs::weakly_canonical(file, status))) continue;
      const std::string name = frames.without_header() ? fs::path(file).stem().string() : stem(file);
      const auto [before, fresh] = taken.emplace(name, file);
      if (!fresh) {
        throw InputError("reconstruct", "measurements", "different names",
                         fmt::format("{} and {}", before->second, file));
      }
      const std::string array = name + "." + format;
      result.push_back({file, (fs::path(output) / array).string(), png(preview, name), png(sparsity_map, name),
                        expected_error.empty() ? "" : (fs::path(expected_error) / array).string()});
    }
  }
  if (result.empty()) throw InputError(inputs.front(), "", "frames", "none beside the camera's files");
  for (const std::string& folder : {output, preview, sparsity_map, expected_error}) {
    if (!folder.empty()) fs::create_directories(folder);
  }
  return result;
}

void add_camera(const Camera& camera, Fingerprint& all) {
  all.add(camera.plain() ? camera.mask().values() : camera.masks().values());
  all.add(camera.offsets());
  all.add(camera.wavelengths());
  for (const int number : {camera.height(), camera.width(), static_cast<int>(camera.axis())}) all.add(number);
}

void add_detector(const Detector& detector, Fingerprint& all) {
  for (const Image* image : {&detector.dark, &detector.flat, &detector.bad}) all.add(image->values());
  all.add(detector.black_level);
  all.add(detector.saturation);
  const Region region = detector.region.value_or(Region{});
  for (const int number :
       {detector.binning, static_cast<int>(detector.flip_rows), static_cast<int>(detector.flip_columns),
        detector.quarter_turns, region.top, region.left, region.height, region.width}) {
    all.add(number);
  }
}

/// What the cubes depend on beside their frames.
std::string Reconstruct::key(const FrameWork& work) const {
  Fingerprint all;
  all.add(version());
  all.add(work.method.method());
  for (const auto& [name, value] : work.method.settings()) {
    all.add(name);
    all.add(value);
  }
  if (const auto weights = weights_of(work.method)) {
    const FileState state = file_state(*weights).value_or(FileState{});
    all.add(*weights);
    all.add(std::to_string(state.bytes));
    all.add(std::to_string(state.modified));
  }
  add_camera(work.camera, all);
  add_detector(work.detector, all);
  if (work.white) all.add(work.white->values());
  for (const std::string& word : white.arguments()) all.add(word);
  all.add(frames.raw_text());
  all.add(work.write.variable);
  for (const int number : {static_cast<int>(work.write.type), static_cast<int>(work.write.interleave),
                           static_cast<int>(work.write.mat_v73), static_cast<int>(work.read.layout)}) {
    all.add(number);
  }
  if (!preview.empty()) {
    const Image nothing;
    const PreviewOptions look = preview_flags.options(nothing, nullptr);
    all.add(look.exposure.value_or(0));
    for (const bool flag : {look.grey_bands, look.light}) all.add(static_cast<int>(flag));
  }
  return all.text();
}

/// The weights file of a model; nothing for methods without.
std::optional<std::string> Reconstruct::weights_of(const Reconstructor& reconstructor) const {
  const std::string name = method.named().empty() ? reconstructor.method() : method.named();
  if (fs::exists(name)) return name;
  std::vector<std::string> tried;
  return find_model(name, tried);
}

/// What the network's cube left before the solver helped: a solver explains much of anything, with any mask.
double unexplained(const FrameOutcome& done) {
  if (!done.passes || done.passes->misfits.empty()) return done.misfit;
  return done.passes->misfits[static_cast<std::size_t>(done.passes->kept) - 1];
}

/// Says so where a cube cannot be what the camera saw. Real captures with their own mask leave up to 0.16.
bool is_doubtful(const FrameOutcome& done) {
  constexpr double kMuch = 0.17;
  return unexplained(done) > kMuch && !(done.passes && done.passes->lamp != LampSide::known);
}

void doubt(const FrameOutcome& done, const std::string& output) {
  log_info(fmt::format(
      "{}: {:.0f} % of the measurement is not explained. Likely reasons, the likeliest first: the "
      "measurement is not linear or has a black level; the mask is another camera's, turned or "
      "flipped{}",
      output, 100 * unexplained(done), done.passes ? "; the lamp has lines that the network does not know" : ""));
}

nlohmann::ordered_json camera_json(const Camera& camera) {
  return {{"bands", camera.bands()},
          {"axis", camera.axis() == Axis::columns ? "columns" : "rows"},
          {"offsets", camera.offsets()},
          {"wavelengths", camera.wavelengths()},
          {"mask", {camera.height(), camera.width()}}};
}

nlohmann::ordered_json json_of(const FrameJob& job, const FrameOutcome& o) {
  nlohmann::ordered_json entry = {{"input", job.input}};
  if (!o.error.empty()) {
    entry["error"] = o.error;
    return entry;
  }
  entry["output"] = job.output;
  if (!job.preview.empty()) entry["preview"] = job.preview;
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
  return entry;
}

void print_json(const nlohmann::ordered_json& results, const FrameWork& work, RankVariables share = {}) {
  nlohmann::ordered_json root = {{"method", work.method.method()},
                                 {"camera", camera_json(work.camera)},
                                 {"threads", omp_get_max_threads()},
                                 {"peak_memory_mb", static_cast<double>(peak_resident_bytes()) / 1e6}};
  if (share.size > 1) root["share"] = {{"rank", share.rank}, {"size", share.size}};
  root["results"] = results;
  fmt::print("{}\n", root.dump(2));
}

/// Counts have no unit of light: a network must not take them for a sum over bands.
bool Reconstruct::arbitrary_units() const {
  try {
    const std::string& first = inputs.front();
    return frames.arbitrary_units(is_folder(first) ? frame_files(first, frames.without_header()).front() : first,
                                  read.options());
  } catch (const InputError&) {
    return false;  // said when its turn comes
  }
}

void Reconstruct::run() const {
  // Nobody is to find one in the place of the other.
  if (!expected_error.empty() && expected_error == output) {
    throw InputError("--expected-error", "", many() ? "another folder than the cubes'" : "another file than the cube's",
                     fmt::format("'{}' for both", output));
  }
  if (white.given() && method.scale() == "max") {
    throw InputError("--white", "", "cubes in the units of their measurements (--scale auto)", "--scale max");
  }
  Reconstructor reconstructor =
      method.open(camera, mask_file, read, [this] { return !white.given() && arbitrary_units(); });
  const Camera device = camera.device(mask_file, read.options(), reconstructor.camera_defaults());
  const MaskReport report = inspect_mask(device.mask());
  if (!report.usable) {
    throw InputError(fmt::format("{}: cannot be used as a mask. {}", mask_file.empty() ? camera.file_path() : mask_file,
                                 fmt::join(report.findings, " ")));
  }
  log_info(fmt::format("{}, camera of {}", reconstructor.method(), camera_text(device)));
  const Detector detector = frames.detector(camera, read.options());
  FrameWork work{.method = reconstructor,
                 .camera = device,
                 .detector = detector,
                 .frames = frames,
                 .previews = preview_flags,
                 .read = read.options(),
                 .write = write_flags.options()};
  if (white.given()) {
    work.white = white.reference(read.options(), frames.without_header(), [&](const std::string& capture) {
      PreparedFrame frame;
      frames.read_frame(capture, detector, read.options(), frame);
      device.check_measurement(frame.values, capture);
      Camera weighed = device;
      if (!frame.weights.empty()) weighed.set_weights(frame.weights);
      return reconstructor.reconstruct(frame.values, weighed, [](const Progress&) { return !interrupted(); });
    });
  }
  many() ? run_many(work) : run_one(work);
}

/// Of several processes the first makes it.
void Reconstruct::run_one(const FrameWork& given) const {
  if (!summary_file.empty()) throw InputError("--summary", "", "a folder of measurements, or several", inputs.front());
  if (share_variables().rank > 0) return;
  FrameWork work = given;
  if (!truth_file.empty()) work.truth = read_cube(truth_file, read.options());
  const std::vector<FrameJob> job = {{inputs.front(), output, preview, sparsity_map, expected_error}};
  run_frames(job, work, [&](std::size_t, const FrameOutcome& done) {
    if (json) return print_json(nlohmann::ordered_json::array({json_of(job.front(), done)}), work);
    clear_progress_line();
    fmt::print("{}  ({}{})\n", output, duration_text(done.seconds),
               done.psnr ? fmt::format(", {:.2f} dB", *done.psnr) : "");
    if (is_doubtful(done)) doubt(done, output);
  });
}

void Reconstruct::run_many(const FrameWork& work) const {
  FrameFolder folder({.jobs = jobs(), .output = output, .key = key(work), .share = share_variables(), .again = again});
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const auto& [job, record] : folder.done_before()) {
    results.push_back(json_of(job, {.seconds = record.seconds, .misfit = record.misfit}));
    results.back()["done_before"] = true;
  }
  constexpr std::size_t kDoubtsTold = 3;
  std::size_t doubts = 0;
  const auto start = std::chrono::steady_clock::now();
  try {
    run_frames(folder.open_jobs(), work, [&](std::size_t i, FrameOutcome done) {
      const FrameJob& job = folder.open_jobs()[i];
      folder.settle(i, done);
      if (json) results.push_back(json_of(job, done));
      if (!done.error.empty()) {
        log_warning(done.error);
      } else if (!json) {
        clear_progress_line();
        fmt::print("{}  ({})\n", job.output, duration_text(done.seconds));
        std::fflush(stdout);
      }
      if (done.error.empty() && is_doubtful(done) && ++doubts <= kDoubtsTold) doubt(done, job.output);
    });
  } catch (const Error&) {
    log_info(folder.summary(work.method.method(), false).text() + "; the same command goes on there");
    throw;
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  clear_progress_line();
  std::fflush(stdout);
  if (json) print_json(results, work, folder.share());
  if (doubts > kDoubtsTold) {
    log_info(fmt::format("much of the measurement is not explained by {} cubes; the summary tells which", doubts));
  }
  const FrameSummary own = folder.summary(work.method.method(), false);
  std::string text = own.text();
  if (const std::size_t made = folder.open_jobs().size(); made > 1) {
    text += fmt::format("; {} in {}, {:.3g} a second", made, duration_text(seconds),
                        static_cast<double>(made) / std::max(seconds, 1e-9));
  }
  log_info(text);
  if (!summary_file.empty()) write_summary(folder, work.method.method());
  if (own.failed() > 0) {
    fmt::print(stderr, "{} of {} failed:\n", own.failed(), own.frames());
    for (const FrameRecord* failure : own.failures()) fmt::print(stderr, "  {}\n", failure->error);
    set_exit_code(1);
  }
}

/// Of all processes' frames, by the last to end.
void Reconstruct::write_summary(FrameFolder& folder, const std::string& method_name) const {
  const FrameSummary all = folder.summary(method_name, true);
  if (all.left() > 0) {
    log_info(fmt::format("{}: written by the process that ends last; {} frames are left to others", summary_file,
                         all.left()));
    return;
  }
  all.write(summary_file);
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
  sub->add_option("--summary", command->summary_file,
                  "of a folder: also write a table of all frames with their misfits and errors (.csv or .json)")
      ->each([](const std::string& path) { check_summary_name(path, "--summary"); });
  sub->add_flag("--again", command->again, "of a folder: make all cubes anew, also those that are done");
  sub->add_flag("--json", command->json, "print one JSON object");
  command->preview_flags.add_to(*sub);
  command->camera.add_to(*sub);
  command->frames.add_to(*sub);
  command->white.add_to(*sub);
  command->read.add_to(*sub);
  command->write_flags.add_to(*sub);
  add_common_options(*sub);
  sub->footer([] { return kExamples + methods_text(); });
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
