#include "commands/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <omp.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>
#include <snapcube/spectrum.h>

#include "base/memory_size.h"
#include "base/terminal.h"
#include "base/text.h"
#include "optics/wavelength_text.h"

namespace snapcube {

void add_common_options(CLI::App& command) {
  command
      .add_option_function<int>(
          "--threads", [](const int& n) { omp_set_num_threads(n); }, "threads to use (default: all cores)")
      ->check(CLI::Range(1, 1024));
  command.add_flag_callback(
      "-q,--quiet", [] { set_quiet(true); }, "warnings and errors only");
}

namespace {

std::uint64_t size_of_memory(const std::string& text) {
  const auto bytes = parse_bytes(text);
  if (bytes.value_or(0) == 0) {
    throw InputError("--max-memory", "", "a size such as 512M or 2G", fmt::format("'{}'", text));
  }
  return *bytes;
}

}  // namespace

void add_max_memory(CLI::App& command, std::uint64_t& bytes) {
  command.add_option_function<std::string>(
      "--max-memory", [&bytes](const std::string& text) { bytes = size_of_memory(text); },
      "the most memory to use, such as 800M or 2G: larger files are refused, and networks divide large frames into "
      "tiles (default: 16G for a file, half of the machine's memory for a network)");
}

void ReadFlags::add_to(CLI::App& command) {
  add_max_memory(command, max_bytes_);
  command
      .add_option("--layout", layout_,
                  "order of the axes of a 3-D array (height, width, bands), if the file does not say: hwb, bhw, hbw")
      ->check(CLI::IsMember({"auto", "hwb", "bhw", "hbw"}))
      ->capture_default_str();
  command.add_option("--input-wavelengths", wavelengths_,
                     "wavelengths of the input's bands in nm: a list, FIRST:STEP:COUNT, or 'published'");
}

ReadOptions ReadFlags::options() const {
  static const std::map<std::string, CubeLayout> layouts = {{"auto", CubeLayout::automatic},
                                                            {"hwb", CubeLayout::height_width_bands},
                                                            {"bhw", CubeLayout::bands_height_width},
                                                            {"hbw", CubeLayout::height_bands_width}};
  ReadOptions options;
  options.layout = layouts.at(layout_);
  options.max_bytes = max_bytes_;
  if (!wavelengths_.empty()) options.wavelengths = parse_wavelengths(wavelengths_, "--input-wavelengths");
  return options;
}

std::string ReadFlags::max_memory_setting() const { return fmt::format("{}B", max_bytes_); }

void WriteFlags::add_to(CLI::App& command) {
  command.add_option("--type", type_, "type of the samples in the output: u8, u16, f32, f64")
      ->check(CLI::IsMember({"auto", "u8", "u16", "f32", "f64"}))
      ->capture_default_str();
  command.add_option("--variable", variable_, "name of the array in .mat, .npz and .h5 (default: cube, meas or mask)");
  command.add_option("--interleave", interleave_, "order in an ENVI file: bsq, bil, bip")
      ->check(CLI::IsMember({"bsq", "bil", "bip"}))
      ->capture_default_str();
  command.add_flag("--v7.3", v73_, "write .mat files as v7.3 (HDF5) in place of v5");
}

WriteOptions WriteFlags::options() const {
  static const std::map<std::string, SampleType> types = {{"auto", SampleType::automatic},
                                                          {"u8", SampleType::u8},
                                                          {"u16", SampleType::u16},
                                                          {"f32", SampleType::f32},
                                                          {"f64", SampleType::f64}};
  static const std::map<std::string, EnviInterleave> orders = {
      {"bsq", EnviInterleave::bsq}, {"bil", EnviInterleave::bil}, {"bip", EnviInterleave::bip}};
  WriteOptions options;
  options.type = types.at(type_);
  options.variable = variable_;
  options.mat_v73 = v73_;
  options.interleave = orders.at(interleave_);
  return options;
}

void CameraFlags::add_to(CLI::App& command) {
  const char* group = "Camera";
  command
      .add_option("--camera", file_, "a camera file (.h5): mask, positions, wavelengths, detector; options override it")
      ->group(group);
  command.add_option("--bands", bands_, "number of bands (default: 28)")->check(CLI::Range(1, 100000))->group(group);
  command.add_option("--step", step_, "pixels from one band to the next on the detector, either sign (default: 2)")
      ->group(group);
  command.add_option("--axis", axis_, "direction of the dispersion: columns or rows (default: columns)")
      ->check(CLI::IsMember({"columns", "rows"}))
      ->group(group);
  command
      .add_option("--offsets", offsets_, "measured position of every band in pixels, in place of --step: 0,1.8,3.7,…")
      ->group(group);
  command
      .add_option("--wavelengths", wavelengths_,
                  "wavelengths of the camera's bands in nm: a list, FIRST:STEP:COUNT, or 'published'")
      ->group(group);
}

const CameraFile& CameraFlags::file() const {
  if (read_file_) return *read_file_;
  CameraFile camera = read_camera(file_);
  if (!wavelengths_.empty()) {
    camera = camera.at(parse_wavelengths(wavelengths_, "--wavelengths"));
  } else if (bands_ && *bands_ != camera.bands()) {
    if (camera.wavelengths.empty()) {
      throw InputError("--bands", "",
                       fmt::format("{}, as {} has no wavelengths to find others by", camera.bands(), file_),
                       std::to_string(*bands_));
    }
    const double first = camera.wavelengths.front();
    const double last = camera.wavelengths.back();
    camera = camera.at(even_wavelengths(first, *bands_ > 1 ? (last - first) / (*bands_ - 1) : 0, *bands_));
  }
  read_file_ = std::make_shared<const CameraFile>(std::move(camera));
  return *read_file_;
}

namespace {

/// The step of positions that are whole pixels, evenly apart, with the smallest at 0.
std::optional<int> even_step(const std::vector<double>& positions) {
  if (positions.size() < 2) return std::nullopt;
  const double step = positions[1] - positions[0];
  if (step != std::floor(step) || std::fabs(step) > 1e6) return std::nullopt;
  for (std::size_t b = 1; b < positions.size(); ++b) {
    if (positions[b] - positions[b - 1] != step) return std::nullopt;
  }
  return static_cast<int>(step);
}

}  // namespace

CameraOptions CameraFlags::options(const CameraOptions& defaults) const {
  CameraOptions options;
  options.step = step_.value_or(defaults.step);
  options.axis = axis_ == "rows" ? Axis::rows : Axis::columns;
  if (!offsets_.empty()) options.offsets = parse_numbers(offsets_, "--offsets");
  if (file_given()) {
    const CameraFile& camera = file();
    options.bands = camera.bands();
    options.wavelengths = camera.wavelengths;
    if (axis_.empty()) options.axis = camera.axis;
    if (offsets_.empty() && !step_) {
      // Even positions are a step: what networks were trained for is known by it.
      const auto step = even_step(camera.positions);
      if (step) options.step = *step;
      if (!step) options.offsets = camera.positions;
    }
    return options;
  }
  if (!wavelengths_.empty()) options.wavelengths = parse_wavelengths(wavelengths_, "--wavelengths");
  if (bands_) {
    options.bands = *bands_;
  } else if (!options.offsets.empty()) {
    options.bands = static_cast<int>(options.offsets.size());
  } else if (!options.wavelengths.empty()) {
    options.bands = static_cast<int>(options.wavelengths.size());
  } else {
    options.bands = defaults.bands;
  }
  if (wavelengths_.empty() && defaults.wavelengths.size() == static_cast<std::size_t>(options.bands)) {
    options.wavelengths = defaults.wavelengths;
  }
  return options;
}

Camera CameraFlags::device(const std::string& mask_file, const ReadOptions& read, const CameraOptions& defaults) const {
  CameraOptions wanted = options(defaults);
  if (mask_file.empty()) {
    if (!file_given()) throw InputError("--mask", "", "a mask file, or a camera file (--camera)", "neither");
    const CameraFile& camera = file();
    return camera.masks.empty() ? Camera(camera.mask, wanted) : Camera(camera.masks, wanted);
  }
  MaskFile masks = read_masks(mask_file, read);
  if (masks.masks.empty()) return Camera(std::move(masks.mask), wanted);
  if (!bands_given()) wanted.wavelengths = {};  // of the default number of bands
  if (masks.shifted) {
    if (!step_ && offsets_.empty() && !file_given()) {
      log_info(fmt::format("{}: masks as they lie on the detector, {} pixels from band to band (--step says otherwise)",
                           mask_file, wanted.step));
    }
    masks.masks = unshifted_masks(masks.masks, wanted, mask_file);
  }
  if (bands_given() && wanted.bands != masks.masks.bands()) {
    throw InputError(mask_file, "masks", fmt::format("one for each of {} bands", wanted.bands),
                     std::to_string(masks.masks.bands()));
  }
  return Camera(std::move(masks.masks), wanted);
}

bool CameraFlags::bands_given() const { return bands_ || !offsets_.empty() || !wavelengths_.empty() || file_given(); }

void FrameFlags::add_to(CLI::App& command) {
  const char* group = "Raw frames";
  command
      .add_option("--raw", raw_,
                  "files have no header: WIDTHxHEIGHT:TYPE, TYPE u8, u16le, u16be, mono10packed or mono12packed")
      ->group(group);
  command.add_option("--black-level", black_level_, "counts without light")->group(group);
  command.add_option("--dark", dark_, "a frame without light, in place of a black level")->group(group);
  command.add_option("--flat", flat_, "a frame of even light: every pixel is divided by its share of it")->group(group);
  command.add_option("--saturation", saturation_, "counts from which on a pixel is full, and its value unknown")
      ->group(group);
  command.add_option("--region", region_, "use this part of the frame: TOP,LEFT,HEIGHT,WIDTH")->group(group);
  command.add_option("--binning", binning_, "so many by so many pixels become one")
      ->check(CLI::Range(1, 64))
      ->group(group);
  command.add_option("--flip", flip_, "turn the frame over: rows (upside down), columns (left to right), both")
      ->check(CLI::IsMember({"rows", "columns", "both"}))
      ->group(group);
  command.add_option("--rotate", rotation_, "turn the frame clockwise, after the flip: 90, 180 or 270 degrees")
      ->check(CLI::IsMember({0, 90, 180, 270}))
      ->group(group);
}

std::vector<std::string> FrameFlags::arguments() const {
  std::vector<std::string> words;
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
  add("--raw", raw_);
  add("--black-level", number(black_level_));
  add("--dark", dark_);
  add("--flat", flat_);
  add("--saturation", number(saturation_));
  add("--region", region_);
  add("--binning", number(binning_));
  add("--flip", flip_);
  add("--rotate", rotation_ == 0 ? "" : std::to_string(rotation_));
  return words;
}

Detector FrameFlags::detector(const CameraFlags& camera, const ReadOptions& read) const {
  Detector d = camera.detector();
  const auto frame = [&](const std::string& file) {
    return raw_.empty() ? read_raw(file, read).counts : read_raw(file, RawLayout::parse(raw_, "--raw")).counts;
  };
  if (!dark_.empty()) d.dark = frame(dark_);
  if (black_level_) {
    d.black_level = *black_level_;
    if (dark_.empty()) d.dark = {};
  }
  if (saturation_) d.saturation = *saturation_;
  if (!flat_.empty()) {
    Detector plain;
    plain.dark = d.dark;
    plain.black_level = d.black_level;
    PreparedFrame even;
    prepare(frame(flat_), plain, flat_, even);
    double mean = 0;
    for (const float v : even.values.values()) mean += v;
    mean /= static_cast<double>(even.values.size());
    if (!(mean > 0))
      throw InputError(flat_, "flat field", "brighter than the dark frame",
                       fmt::format("{:.4g} counts above it", mean));
    d.flat = std::move(even.values);
    for (float& v : d.flat.values()) v = std::max(0.0f, v / static_cast<float>(mean));
  }
  if (!region_.empty()) d.region = parse_region(region_, "--region");
  if (binning_) d.binning = *binning_;
  if (!flip_.empty()) {
    d.flip_rows = flip_ != "columns";
    d.flip_columns = flip_ != "rows";
  }
  if (rotation_ != 0) d.quarter_turns = rotation_ / 90;
  return d;
}

bool FrameFlags::arbitrary_units(const std::string& location, const ReadOptions& read) const {
  return !raw_.empty() || read_raw(location, read).integer;
}

void FrameFlags::read_frame(const std::string& location, const Detector& detector, const ReadOptions& read,
                            PreparedFrame& frame) const {
  const auto layout = raw_layout();
  const RawImage raw = layout ? read_raw(location, *layout) : read_raw(location, read);
  make_ready(raw, detector, location, frame);
  const std::string sentence = assumed(raw, detector);
  if (!sentence.empty() && !std::exchange(told_, true)) log_info(fmt::format("{}: {}", location, sentence));
  if (frame.bad + frame.saturated > 0) {
    log_info(fmt::format("{}: left out {} bad and {} saturated pixels", location, frame.bad, frame.saturated));
  }
}

std::optional<RawLayout> FrameFlags::raw_layout() const {
  return raw_.empty() ? std::nullopt : std::optional(RawLayout::parse(raw_, "--raw"));
}

std::int64_t FrameFlags::count(const std::string& path, const ReadOptions& read) const {
  const auto layout = raw_layout();
  return layout ? count_frames(path, *layout) : count_frames(path, read);
}

RawImage FrameFlags::counts(const std::string& path, std::int64_t index, std::int64_t of,
                            const ReadOptions& read) const {
  if (const auto layout = raw_layout()) return read_raw(path, *layout, index);
  return read_raw(of > 1 ? fmt::format("{}:[{}]", path, index) : path, read);
}

void FrameFlags::make_ready(const RawImage& raw, const Detector& detector, const std::string& source,
                            PreparedFrame& frame) {
  prepare(raw.counts, detector, source, frame);
  if (raw.integer && !(detector.saturation > 0)) {
    for (float& v : frame.values.values()) v /= static_cast<float>(raw.largest);
  }
}

std::string FrameFlags::assumed(const RawImage& raw, const Detector& detector) {
  const bool known = detector.black_level != 0 || !detector.dark.empty() || detector.saturation > 0;
  if (!raw.integer || known) return {};
  return "counts of which nothing is known: taken as light in arbitrary units, black at 0, no pixel saturated "
         "(--camera, --black-level, --dark, --saturation tell)";
}

void PreviewFlags::add_to(CLI::App& command) {
  const char* group = "Preview";
  command.add_flag("--grey-bands", grey_bands_, "show bands in grey: noise in dark blue ones is easier to see")
      ->group(group);
  command
      .add_option("--exposure", exposure_,
                  "multiply all values by this, so that previews can be compared (default: chosen for each picture)")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(group);
  command.add_flag("--light", light_, "dark text on white, for print")->group(group);
}

PreviewOptions PreviewFlags::options(const Image& measurement, const Cube* truth) const {
  constexpr int kSpectra = 3;
  PreviewOptions options;
  options.measurement = &measurement;
  options.truth = truth;
  options.grey_bands = grey_bands_;
  options.exposure = exposure_;
  options.light = light_;
  options.spectra = kSpectra;
  return options;
}

Region parse_region(const std::string& text, const std::string& option) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, ',')) {
    const auto number = parse_int(part);
    if (!number || *number < 0 || *number > 1'000'000) break;
    numbers.push_back(static_cast<int>(*number));
  }
  if (numbers.size() != 4) throw InputError(option, "", "TOP,LEFT,HEIGHT,WIDTH in pixels", fmt::format("'{}'", text));
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

}  // namespace snapcube
