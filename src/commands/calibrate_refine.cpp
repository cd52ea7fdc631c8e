#include "commands/calibrate_refine.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <snapcube/snapcube.h>

#include "base/terminal.h"
#include "base/text.h"
#include "calibration/refine_camera.h"
#include "calibration/refine_drifted.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "io/collection.h"
#include "io/location.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube calibrate --refine shots/ --camera camera.h5 -o camera-refined.h5
  snapcube calibrate --refine shot.mat --mask mask.mat --step 2 -o camera.h5
  snapcube calibrate --refine shots/ --camera camera.h5 --parameters right,down,turn -o camera-refined.h5 --json

Ordinary captures, of anything with colours and surfaces, tell how the mask and the dispersion have moved since the
camera was calibrated: what is found explains them best. Several captures tell more than one. A parameter that they
cannot tell is named and stays as it was, and so does one without which GAP-TV predicts pixels that it has not seen as
well. What is left to explain, before and after, is printed.

Parameters: right, down (mask shift, up to 3 pixels), turn (its rotation, up to 0.5 degrees), slope, curvature (of the
dispersion, up to 2 %), angle (of the dispersion to the rows), blur (variance in pixels squared), contrast.)";

struct Refine {
  bool refine = false;
  std::vector<std::string> inputs;
  std::string mask_file;
  std::string parameters;
  std::string output;
  bool json = false;
  ReadFlags read;
  CameraFlags camera;
  FrameFlags frames;

  void run() const;
  CameraFile camera_file() const;
  std::vector<std::string> captures() const;
  std::vector<PreparedFrame> read_captures(const std::vector<std::string>& files, const Camera& device) const;
  std::vector<std::size_t> wanted() const;
};

std::vector<std::size_t> Refine::wanted() const {
  std::vector<std::size_t> result;
  if (parameters.empty()) {
    for (std::size_t k = 0; k < kDriftParameters; ++k) result.push_back(k);
    return result;
  }
  for (const std::string& name : split(parameters, ',')) {
    try {
      result.push_back(drift_parameter(name));
    } catch (const InputError& error) {
      throw InputError("--parameters", "", error.expected(), error.found());
    }
  }
  std::ranges::sort(result);
  const auto twins = std::ranges::unique(result);
  result.erase(twins.begin(), twins.end());
  return result;
}

/// The camera at hand, with what options say in place of the file.
CameraFile Refine::camera_file() const {
  const Camera device = camera.device(mask_file, read.options());
  CameraFile file = camera.file_given() ? camera.file() : CameraFile{};
  const auto positions = device.offsets();
  std::vector<double> known = file.positions;
  const double first = known.empty() ? 0 : *std::ranges::min_element(known);
  bool same = known.size() == positions.size();
  for (std::size_t b = 0; same && b < known.size(); ++b) same = std::fabs(known[b] - first - positions[b]) < 1e-4;
  if (!same) {
    file.positions = positions;
    file.curve = {};
    if (file.band_gains.size() != positions.size()) file.band_gains = {};
  }
  file.axis = device.axis();
  file.wavelengths = device.wavelengths();
  file.mask = device.plain() ? device.mask() : Image{};
  file.masks = device.masks();
  const MaskReport report = inspect_mask(device.mask());
  if (!report.usable) {
    throw InputError(fmt::format("{}: cannot be used as a mask. {}", mask_file.empty() ? camera.file_path() : mask_file,
                                 fmt::join(report.findings, " ")));
  }
  return file;
}

std::vector<std::string> Refine::captures() const {
  std::vector<std::string> files;
  for (const std::string& input : inputs) {
    if (is_collection(input)) {
      const auto inside = collection(input);
      files.insert(files.end(), inside.begin(), inside.end());
    } else {
      files.push_back(input);
    }
  }
  return files;
}

std::vector<PreparedFrame> Refine::read_captures(const std::vector<std::string>& files, const Camera& device) const {
  const Detector detector = frames.detector(camera, read.options());
  std::vector<PreparedFrame> result(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    stop_if_interrupted();
    frames.read_frame(files[i], detector, read.options(), result[i]);
    device.check_measurement(result[i].values, files[i]);
    const auto [least, most] = std::ranges::minmax(result[i].values.values());
    if (!(most > least)) {
      throw InputError(files[i], "measurement", "light that shows the mask", fmt::format("{:g} in every pixel", most));
    }
  }
  return result;
}

/// "shots/a.mat (2026-05-01 12:30)": when the capture was written.
std::string with_date(const std::string& location) {
  struct stat status {};
  if (::stat(io::parse_location(location).path.c_str(), &status) != 0) return location;
  return fmt::format("{} ({:%Y-%m-%d %H:%M} UTC)", location, fmt::gmtime(status.st_mtime));
}

std::string value_text(std::size_t k, double value) {
  const DriftParameter& p = drift_parameters()[k];
  const double shown = p.shown * value;
  const std::string unit = p.unit.empty() || p.unit == "°" || p.unit == "%" ? p.unit : " " + p.unit;
  return fmt::format("{:.3f}{}", shown, unit);
}

/// "1.508 px ± 0.007", "unchanged", "cannot be told".
std::string result_text(std::size_t k, const RefinedParameter& p) {
  const double deviation = drift_parameters()[k].shown * p.deviation;
  const std::string about = std::isfinite(deviation) ? fmt::format(" ± {:.3f}", deviation) : "";
  switch (p.verdict) {
    case DriftVerdict::found:
      return value_text(k, p.value) + about + (p.at_limit ? ", the end of the range: it may be more" : "");
    case DriftVerdict::unchanged:
      return "unchanged" + about;
    case DriftVerdict::untold:
      return fmt::format("cannot be told from these captures{}; left as it was",
                         about.empty() ? "" : fmt::format(" (±{:.3f})", deviation));
    case DriftVerdict::refuted:
      return "not confirmed: unseen pixels are predicted as well without it; left as it was";
    default:
      return "not asked";
  }
}

std::string changes_text(const RefinedCamera& refined) {
  std::vector<std::string> changes;
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    if (refined.parameters[k].verdict == DriftVerdict::found) {
      changes.push_back(drift_parameters()[k].name + " " + value_text(k, refined.parameters[k].value));
    }
  }
  return changes.empty() ? "nothing" : fmt::format("{}", fmt::join(changes, ", "));
}

void print_text(const RefinedCamera& refined) {
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    if (refined.parameters[k].verdict == DriftVerdict::not_asked) continue;
    fmt::print("  {:<28}  {}\n", drift_parameters()[k].text, result_text(k, refined.parameters[k]));
  }
  fmt::print("  left by smooth windows        {:.1f} % → {:.1f} %\n", 100 * refined.smooth_before,
             100 * refined.smooth_after);
  fmt::print("  error of unseen pixels        {:.1f} % → {:.1f} %\n", 100 * refined.unseen_before,
             100 * refined.unseen_after);
}

void print_json(const RefinedCamera& refined, const std::vector<std::string>& files, const std::string& output) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (std::size_t k = 0; k < kDriftParameters; ++k) {
    const RefinedParameter& p = refined.parameters[k];
    if (p.verdict == DriftVerdict::not_asked) continue;
    const DriftParameter& about = drift_parameters()[k];
    nlohmann::ordered_json one = {{"name", about.name},
                                  {"text", about.text},
                                  {"unit", about.unit},
                                  {"value", about.shown * p.value},
                                  {"deviation", about.shown * p.deviation},  // null: nothing depends on it
                                  {"verdict", verdict_text(p.verdict)},
                                  {"at_limit", p.at_limit}};
    if (p.without > 0) one["unseen_without"] = p.without;
    parameters.push_back(one);
  }
  const nlohmann::ordered_json root = {{"captures", files},
                                       {"windows", refined.windows},
                                       {"parameters", parameters},
                                       {"smooth", {{"before", refined.smooth_before}, {"after", refined.smooth_after}}},
                                       {"unseen", {{"before", refined.unseen_before}, {"after", refined.unseen_after}}},
                                       {"output", output}};
  fmt::print("{}\n", root.dump(2));
}

void Refine::run() const {
  const std::string ending = lower(std::filesystem::path(output).extension().string());
  if (ending != ".h5" && ending != ".hdf5") {
    throw InputError("--output", "", "a camera file (.h5)", fmt::format("'{}'", output));
  }
  const std::vector<std::size_t> asked = wanted();
  const CameraFile file = camera_file();
  const Camera device = file.camera();
  log_info(fmt::format("camera of {}", camera_text(device)));
  const std::vector<std::string> files = captures();
  const std::vector<PreparedFrame> shots = read_captures(files, device);

  RefinedCamera refined;
  {
    ProgressLine line(fmt::format("{} capture{}", files.size(), files.size() == 1 ? "" : "s"));
    refined = refine_camera(file, shots, asked, [&](double done) {
      stop_if_interrupted();
      line.update(done);
    });
  }
  const bool any = std::ranges::any_of(refined.parameters, [](const RefinedParameter& p) {
    return p.verdict == DriftVerdict::found || p.verdict == DriftVerdict::unchanged;
  });
  if (!any) {
    throw InputError(files.front(), "measurement", "light that shows the mask, to tell how it lies",
                     "nothing of it: no parameter can be told");
  }
  CameraFile better = drifted_camera(file, refined.drift);
  std::vector<std::string> dated;
  for (const std::string& name : files) dated.push_back(with_date(name));
  better.provenance["refined with"] = fmt::format("{}", fmt::join(dated, ", "));
  better.provenance["refined from"] = camera.file_given() ? camera.file_path() : mask_file;
  better.provenance["refined by"] = fmt::format("snapcube {} calibrate --refine", version());
  better.provenance["changed"] = changes_text(refined);
  write_camera(better, output);
  if (json) {
    print_json(refined, files, output);
  } else {
    clear_progress_line();
    print_text(refined);
  }
  const Camera now = better.camera();
  if (now.width() != device.width() || now.height() != device.height()) {
    log_info(fmt::format("the bands span another number of pixels: mask and cubes are {} now, in place of {}",
                         shape_text(now.height(), now.width()), shape_text(device.height(), device.width())));
  }
  tell_written(output, camera_text(now));
}

}  // namespace

bool asks_for_refine(const std::vector<std::string>& arguments) {
  return !arguments.empty() && arguments.front() == "calibrate" &&
         std::ranges::find(arguments, "--refine") != arguments.end();
}

void add_calibrate_refine(CLI::App& sub) {
  auto command = std::make_shared<Refine>();
  sub.add_flag("--refine", command->refine, "find what has drifted, from ordinary captures")->required();
  sub.add_option("SHOTS", command->inputs, "captures: files, file:variable, or folders")->required();
  sub.add_option("--mask", command->mask_file, "the coded aperture, or one for each band; or --camera");
  sub.add_option("--parameters", command->parameters,
                 "find these only: right, down, turn, slope, curvature, angle, blur, contrast (default: all)");
  sub.add_option("-o,--output", command->output, "the camera file with what was found (.h5)")->required();
  sub.add_flag("--json", command->json, "print JSON");
  command->camera.add_to(sub);
  command->frames.add_to(sub);
  command->read.add_to(sub);
  add_common_options(sub);
  sub.footer(kExamples);
  sub.callback([command] { command->run(); });
}

}  // namespace snapcube
