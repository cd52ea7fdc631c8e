// snapcube calibrate: from a bench's captures to a camera file.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include <snapcube/snapcube.h>

#include "base/atomic_file.h"
#include "base/terminal.h"
#include "base/text.h"
#include "commands/calibrate_refine.h"
#include "commands/commands.h"
#include "commands/description.h"
#include "commands/interrupt.h"
#include "commands/options.h"
#include "optics/wavelength_text.h"
#include "report/calibration_page.h"

namespace snapcube {

namespace {

constexpr const char* kExamples = R"(Examples:
  snapcube calibrate captures/ --dark dark/ -o camera.h5
  snapcube calibrate captures/ --dark dark/ --white white.png --exposures exposures/ --report page.html -o camera.h5
  snapcube calibrate list.csv --dark dark.tif --wavelengths 450:10:20 -o camera.h5
  snapcube calibrate frames/ --raw 2448x2048:mono12packed --dark dark/ -o camera.h5
  snapcube simulate --bench bench/              a bench to try it with, when there is none at hand

CAPTURES are frames of the mask through the disperser, each under light of one wavelength, which its name tells: 532nm.png,
cap_532.5nm.tif. A .csv of file,wavelength tells it too, and so do stacks that have wavelengths inside. Four at least.

--white is a white target under the lamp in use: it gives the gains of the bands. --exposures are frames of even light at
several exposures, two at least of each, named by them (10ms_1.png, 10ms_2.png) or listed in a .csv of file,exposure: they
give the detector's gain. docs/calibration.md explains how, docs/bench.md leads from the empty table to the cube.

With --refine a camera file is brought up to date by ordinary captures: `snapcube calibrate --refine --help`.)";

struct Calibrate {
  std::vector<std::string> captures;
  std::vector<std::string> dark;
  std::vector<std::string> white;
  std::string exposures;
  std::string mask_picture;
  std::string wavelengths;
  std::string axis;
  std::string mask_region;
  std::optional<double> saturation;
  std::optional<int> degree;
  std::string raw;
  std::string output;
  std::string report;
  std::string title = "Calibration";
  bool json = false;
  std::uint64_t max_memory = ReadOptions().max_bytes;

  void run() const;
  CalibrationInput input() const;
  CalibrationOptions options() const;
};

CalibrationInput Calibrate::input() const {
  CalibrationInput result;
  result.captures = find_captures(captures, !raw.empty());
  result.dark = find_frames(dark, !raw.empty());
  result.white = find_frames(white, !raw.empty());
  if (!exposures.empty()) result.exposures = find_exposures(exposures, !raw.empty());
  result.mask_picture = mask_picture;
  return result;
}

CalibrationOptions Calibrate::options() const {
  CalibrationOptions result;
  if (!wavelengths.empty()) result.wavelengths = parse_wavelengths(wavelengths, "--wavelengths");
  if (!axis.empty()) result.axis = axis == "rows" ? Axis::rows : Axis::columns;
  if (!mask_region.empty()) result.mask_region = parse_region(mask_region, "--mask-region");
  if (saturation && !(*saturation > 0)) {
    throw InputError("--saturation", "", "counts above 0", fmt::format("{:g}", *saturation));
  }
  result.saturation = saturation;
  result.degree = degree;
  if (!raw.empty()) result.raw = RawLayout::parse(raw, "--raw");
  result.read.max_bytes = max_memory;
  return result;
}

nlohmann::ordered_json number_or_null(double value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const Calibration& c, const std::string& output) {
  nlohmann::ordered_json root = {{"camera", output},
                                 {"verdict", c.verdict},
                                 {"bands", c.camera.bands()},
                                 {"wavelengths", c.camera.wavelengths},
                                 {"positions", c.camera.positions},
                                 {"curve", c.camera.curve},
                                 {"axis", c.camera.axis == Axis::rows ? "rows" : "columns"},
                                 {"degree", c.degree},
                                 {"rms_residual", c.rms_residual},
                                 {"largest_residual", c.largest_residual},
                                 {"left_out_error", c.left_out_error},
                                 {"corner", c.corner},
                                 {"resampled", c.resampled},
                                 {"angle_degrees", c.angle * 180 / 3.14159265358979323846},
                                 {"contrast", c.contrast},
                                 {"band_gains", c.camera.band_gains}};
  if (!c.camera.band_gains.empty()) root["white_misfit"] = c.white_misfit;
  if (c.picture_correlation) {
    root["mask_picture"] = {{"correlation", *c.picture_correlation}, {"position", c.picture_position}};
  }
  const Region region = c.camera.detector.region.value_or(Region{});
  root["region"] = {region.top, region.left, region.height, region.width};
  const DetectorFinding& d = c.detector;
  root["detector"] = {{"black_level", d.black_level},
                      {"dark_frames", d.dark_frames},
                      {"dark_pattern", d.pattern},
                      {"dark_noise", number_or_null(d.dark_noise)},
                      {"hot", d.hot},
                      {"dead", d.dead},
                      {"gain", number_or_null(d.gain)},
                      {"gain_error", number_or_null(d.gain_error)},
                      {"read_noise", number_or_null(d.read_noise)},
                      {"saturation", number_or_null(d.saturation)},
                      {"full_well", number_or_null(d.full_well)}};
  for (const ExposureLevel& level : d.levels) {
    root["detector"]["exposures"].push_back({{"exposure", level.exposure},
                                             {"signal", level.signal},
                                             {"variance", level.variance},
                                             {"saturated_share", level.saturated},
                                             {"used", level.used}});
  }
  for (const CaptureFinding& capture : c.captures) {
    root["captures"].push_back({{"file", capture.location},
                                {"wavelength", capture.wavelength},
                                {"position", capture.position},
                                {"fitted", capture.fitted},
                                {"residual", capture.residual()},
                                {"across", capture.across},
                                {"turn_degrees", capture.turn * 180 / 3.14159265358979323846},
                                {"scale", capture.scale},
                                {"correlation", capture.correlation},
                                {"contrast", capture.contrast},
                                {"brightness", capture.brightness},
                                {"saturated_share", capture.saturated},
                                {"outlier", capture.outlier}});
  }
  root["doubts"] = nlohmann::ordered_json::array();
  for (const Doubt& doubt : c.doubts) root["doubts"].push_back({{"sentence", doubt.sentence}, {"grave", doubt.grave}});
  return root;
}

void print_text(const Calibration& c) {
  const CameraFile& camera = c.camera;
  const Camera device = camera.camera();
  const DetectorFinding& d = c.detector;
  fmt::print("  mask         {}, on a detector of {}\n", shape_text(device.height(), device.width()),
             shape_text(device.detector_height(), device.detector_width()));
  fmt::print("  positions    {} bands over {:.2f} pixels along the {}, a curve of degree {}\n", camera.bands(),
             std::ranges::max(camera.positions), camera.axis == Axis::rows ? "rows" : "columns", c.degree);
  fmt::print("  residuals    {:.3f} pixels rms, {:.3f} at most; left-out captures predicted to {:.3f}\n",
             c.rms_residual, c.largest_residual, c.left_out_error);
  fmt::print("  between bands {:.2f} pixels at a corner by rotation and scale{}, dispersion {:.2f}° off the axis\n",
             c.corner, c.resampled ? " (resampled)" : "", c.angle * 180 / 3.14159265358979323846);
  const auto [low, high] = std::ranges::minmax(c.contrast);
  fmt::print("  contrast     {:.2f} … {:.2f}\n", low, high);
  std::string detector = fmt::format("black {:.4g}", d.black_level);
  if (d.gain > 0) detector += fmt::format(", {:.3g} e⁻ a count, read noise {:.3g} e⁻", d.gain, d.read_noise);
  if (d.saturation > 0) detector += fmt::format(", full at {:g} counts", d.saturation);
  fmt::print("  detector     {}, {} hot and {} dead pixels\n", detector, d.hot, d.dead);
  if (!camera.band_gains.empty()) {
    const auto [weakest, strongest] = std::ranges::minmax(camera.band_gains);
    fmt::print("  band gains   {:.2f} … {:.2f}, {:.1f} % of the white target unexplained\n", weakest, strongest,
               100 * c.white_misfit);
  }
  if (c.picture_correlation) {
    fmt::print("  mask picture resembles the mask to {:.2f}, at {:.2f} pixels\n", *c.picture_correlation,
               c.picture_position);
  }
  for (const Doubt& doubt : c.doubts) fmt::print("  {:<12} {}\n", doubt.grave ? "GRAVE" : "doubtful", doubt.sentence);
  fmt::print("{}\n", c.verdict);
}

void Calibrate::run() const {
  if (captures.empty()) throw InputError("CAPTURES", "", "captures of the mask: a folder, files or a list", "none");
  if (dark.empty()) throw InputError("--dark", "", "frames without light", "none");
  const std::string ending = lower(std::filesystem::path(output).extension().string());
  if (ending != ".h5" && ending != ".hdf5") {
    throw InputError("--output", "", "a camera file (.h5)", fmt::format("'{}'", output));
  }
  const CalibrationOptions chosen = options();
  const CalibrationInput files = input();
  Calibration result;
  {
    ProgressLine line("calibrating");
    result = calibrate(files, chosen, [&](const std::string&, double done) {
      line.update(done);
      return !interrupted();
    });
  }
  write_camera(result.camera, output);
  tell_written(output, fmt::format("camera, {}", camera_text(result.camera.camera())));
  if (!report.empty()) {
    write_text(report, calibration_page(result, title));
    tell_written(report, "report");
  }
  if (json) {
    fmt::print("{}\n", to_json(result, output).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    print_text(result);
  }
}

}  // namespace

void add_calibrate(CLI::App& program) {
  auto command = std::make_shared<Calibrate>();
  CLI::App* sub = program.add_subcommand(
      "calibrate", "make a camera file from a bench's captures, or (--refine) find what has drifted since");
  if (asks_for_refine(arguments())) return add_calibrate_refine(*sub);
  // What another way to calibrate does not need is asked for in run().
  const auto repeated = [](CLI::Option* option) { option->take_all()->type_size(1)->allow_extra_args(false); };
  sub->add_option("CAPTURES", command->captures, "the mask under narrow-band light: folders, files or lists (.csv)");
  repeated(sub->add_option("--dark", command->dark, "frames without light: a folder, file or stack; may be repeated"));
  sub->add_option("-o,--output", command->output, "the camera file (.h5)")->required();
  repeated(sub->add_option("--white", command->white,
                           "a white target under the lamp in use: a file, folder or stack; may be repeated"));
  sub->add_option("--exposures", command->exposures, "even light at several exposures: a folder, or a list (.csv)");
  sub->add_option("--mask-picture", command->mask_picture, "the mask without disperser");
  sub->add_option("--wavelengths", command->wavelengths,
                  "bands of the camera in nm: a list or FIRST:STEP:COUNT (default: those of the captures)");
  sub->add_option("--axis", command->axis, "direction of the dispersion: columns or rows (default: found)")
      ->check(CLI::IsMember({"columns", "rows"}));
  sub->add_option(
      "--mask-region", command->mask_region,
      "TOP,LEFT,HEIGHT,WIDTH of the mask in the capture of the smallest position (default: where light is)");
  sub->add_option("--saturation", command->saturation, "counts from which on a pixel is full (default: found)");
  sub->add_option("--degree", command->degree, "degree of the curve (default: chosen)")->check(CLI::Range(1, 6));
  sub->add_option("--raw", command->raw,
                  "files have no header: WIDTHxHEIGHT:TYPE, TYPE u8, u16le, u16be, mono10packed or mono12packed");
  sub->add_option("--report", command->report, "also write a page (.html): positions, mask, contrast, doubts, verdict");
  sub->add_option("--title", command->title, "heading of the page")->capture_default_str();
  sub->add_flag("--json", command->json, "print JSON");
  add_max_memory(*sub, command->max_memory);
  add_common_options(*sub);
  sub->footer(kExamples);
  sub->callback([command] { command->run(); });
}

}  // namespace snapcube
