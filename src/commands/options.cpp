#include "commands/options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <omp.h>

#include <snapcube/error.h>

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
  command.add_option("--bands", bands_, "number of bands (default: 28)")->check(CLI::Range(1, 100000))->group(group);
  command.add_option("--step", step_, "pixels from one band to the next on the detector, either sign (default: 2)")
      ->group(group);
  command.add_option("--axis", axis_, "direction of the dispersion: columns or rows")
      ->check(CLI::IsMember({"columns", "rows"}))
      ->capture_default_str()
      ->group(group);
  command
      .add_option("--offsets", offsets_, "measured position of every band in pixels, in place of --step: 0,1.8,3.7,…")
      ->group(group);
  command
      .add_option("--wavelengths", wavelengths_,
                  "wavelengths of the camera's bands in nm: a list, FIRST:STEP:COUNT, or 'published'")
      ->group(group);
}

CameraOptions CameraFlags::options(const CameraOptions& defaults) const {
  CameraOptions options;
  options.step = step_.value_or(defaults.step);
  options.axis = axis_ == "rows" ? Axis::rows : Axis::columns;
  if (!offsets_.empty()) options.offsets = parse_numbers(offsets_, "--offsets");
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

bool CameraFlags::bands_given() const { return bands_ || !offsets_.empty() || !wavelengths_.empty(); }

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
