#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include <snapcube/camera_file.h>
#include <snapcube/error.h>
#include <snapcube/spectrum.h>

#include "base/text.h"
#include "io/companions.h"
#include "io/convert.h"
#include "io/hdf5_datasets.h"

namespace snapcube {

namespace {

constexpr int kVersion = 1;
constexpr std::size_t kMostText = 1 << 20;

/// The fields of one file, each checked as it is read.
class Reader {
 public:
  Reader(const std::string& path, const ReadOptions& options)
      : path_(path), options_(options), info_(io::hdf5_format().describe(path, options)) {}

  const ArrayInfo* find(const std::string& name) const {
    const auto found = std::ranges::find(info_.arrays, name, &ArrayInfo::name);
    return found == info_.arrays.end() ? nullptr : &*found;
  }

  [[noreturn]] void refuse(const std::string& name, const std::string& expected, const std::string& found) const {
    throw InputError(path_, fmt::format("'{}'", name), expected, found);
  }

  /// None where the field is absent.
  std::vector<double> numbers(const std::string& name) const {
    const ArrayInfo* array = find(name);
    if (!array) return {};
    if (!io::vector_length(*array)) refuse(name, "a row of numbers", shape_text(array->shape) + " " + array->type);
    std::vector<double> values = io::as_doubles(io::hdf5_format().load(path_, name, options_));
    if (values.empty()) refuse(name, "a row of numbers", array->type);
    for (const double v : values) {
      if (!std::isfinite(v)) refuse(name, "finite numbers", fmt::format("{}", v));
    }
    return values;
  }

  double number(const std::string& name, double otherwise, double least, double most) const {
    const std::vector<double> values = numbers(name);
    if (values.empty()) return otherwise;
    if (values.size() != 1) refuse(name, "one number", std::to_string(values.size()));
    if (!(values[0] >= least && values[0] <= most)) {
      refuse(name, fmt::format("a number in {:g} … {:g}", least, most), fmt::format("{}", values[0]));
    }
    return values[0];
  }

  int whole(const std::string& name, int otherwise, int least, int most) const {
    const double value = number(name, otherwise, least, most);
    if (value != std::floor(value)) refuse(name, "a whole number", fmt::format("{}", value));
    return static_cast<int>(value);
  }

  /// The numbers as they are; an empty image where the field is absent.
  Image image(const std::string& name) const {
    const ArrayInfo* found = find(name);
    if (!found) return {};
    if (!found->readable || found->shape.size() != 2) {
      refuse(name, "height × width numbers", shape_text(found->shape) + " " + found->type);
    }
    return io::to_image(io::hdf5_format().load(path_, name, options_), io::Meaning::counts, {path_, name, {}},
                        options_);
  }

  void read_masks(CameraFile& camera) const {
    const ArrayInfo* found = find("mask");
    if (!found) throw InputError(path_, "", "a dataset 'mask'", "none of that name");
    const io::StoredArray array = io::hdf5_format().load(path_, "mask", options_);
    const io::Selection selection{path_, "mask", {}};
    if (io::without_singletons(array.shape, 2).size() == 2) {
      camera.mask = io::to_image(array, io::Meaning::mask, selection, options_);
      return;
    }
    ReadOptions options = options_;
    options.wavelengths = camera.wavelengths;
    camera.masks = io::to_cube(array, io::Meaning::mask, selection, options);
  }

  std::map<std::string, std::string> provenance() const {
    const ArrayInfo* found = find("provenance");
    if (!found) return {};
    if (!found->readable || found->shape.size() != 1 || found->type != "uint8" ||
        found->shape[0] > static_cast<std::int64_t>(kMostText)) {
      refuse("provenance", "at most a megabyte of JSON as bytes", shape_text(found->shape) + " " + found->type);
    }
    const io::StoredArray array = io::hdf5_format().load(path_, "provenance", options_);
    const auto* text = reinterpret_cast<const char*>(array.bytes.data());
    const auto json = nlohmann::json::parse(text, text + array.bytes.size(), nullptr, false);
    if (!json.is_object()) refuse("provenance", "a JSON object", "something else");
    std::map<std::string, std::string> result;
    for (const auto& [key, value] : json.items())
      result[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return result;
  }

  void check_count(const char* name, std::size_t found, int bands) const {
    if (found != 0 && found != static_cast<std::size_t>(bands)) {
      refuse(name, fmt::format("one for each of the {} positions", bands), std::to_string(found));
    }
  }

 private:
  std::string path_;
  ReadOptions options_;
  FileInfo info_;
};

Detector read_detector(const Reader& reader) {
  Detector d;
  d.black_level = reader.number("black_level", 0, -1e9, 1e9);
  d.saturation = reader.number("saturation", 0, 0, 1e12);
  d.gain = reader.number("gain", 0, 0, 1e9);
  d.read_noise = reader.number("read_noise", 0, 0, 1e9);
  d.binning = reader.whole("binning", 1, 1, 64);
  d.flip_rows = reader.whole("flip_rows", 0, 0, 1) == 1;
  d.flip_columns = reader.whole("flip_columns", 0, 0, 1) == 1;
  d.quarter_turns = reader.whole("quarter_turns", 0, 0, 3);
  d.dark = reader.image("dark");
  d.flat = reader.image("flat");
  d.bad = reader.image("bad_pixels");
  const std::vector<double> region = reader.numbers("region");
  if (!region.empty()) {
    const bool whole = std::ranges::all_of(region, [](double v) { return v == std::floor(v) && v >= 0 && v < 1e6; });
    if (region.size() != 4 || !whole || region[2] < 1 || region[3] < 1) {
      reader.refuse("region", "top, left, height and width in pixels", fmt::format("{} numbers", region.size()));
    }
    d.region = Region{static_cast<int>(region[0]), static_cast<int>(region[1]), static_cast<int>(region[2]),
                      static_cast<int>(region[3])};
  }
  return d;
}

/// Where a wavelength lies between ascending or descending samples: index of the left one, and the way to the next.
std::pair<std::size_t, double> between(const std::vector<double>& samples, double value) {
  const bool ascending = samples.front() < samples.back();
  std::size_t i = 0;
  while (i + 2 < samples.size() && (ascending ? value > samples[i + 1] : value < samples[i + 1])) ++i;
  return {i, (value - samples[i]) / (samples[i + 1] - samples[i])};
}

double mixed(const std::vector<double>& values, const std::pair<std::size_t, double>& at) {
  return (1 - at.second) * values[at.first] + at.second * values[at.first + 1];
}

}  // namespace

double CameraFile::position(double wavelength) const {
  if (wavelengths.size() < 2) {
    throw InputError("camera", "wavelengths", "one for each position, to find another's", "none");
  }
  if (curve.empty()) return mixed(positions, between(wavelengths, wavelength));
  const auto [first, last] = std::ranges::minmax(wavelengths);
  const double t = (2 * wavelength - first - last) / (last - first);
  double sum = 0;
  for (std::size_t k = curve.size(); k-- > 0;) sum = sum * t + curve[k];
  return sum;
}

CameraFile CameraFile::at(const std::vector<double>& wanted) const {
  if (wanted == wavelengths) return *this;
  if (wanted.empty()) throw InputError("camera", "wanted wavelengths", "at least one", "none");
  if (wavelengths.size() < 2) {
    throw InputError("camera", "wavelengths", "one for each band, to find other bands", "none");
  }
  const auto [first, last] = std::ranges::minmax(wavelengths);
  for (const double w : wanted) {
    if (!(w >= first - 1e-6 && w <= last + 1e-6)) {
      throw InputError("camera", "wavelengths", fmt::format("inside the camera's {:g} … {:g} nm", first, last),
                       fmt::format("{:g} nm", w));
    }
  }
  CameraFile result = *this;
  result.wavelengths = wanted;
  result.positions.clear();
  result.band_gains.clear();
  result.curve.clear();  // its scale is that of the wavelengths it was made for
  for (const double w : wanted) {
    result.positions.push_back(position(w));
    if (!band_gains.empty()) result.band_gains.push_back(mixed(band_gains, between(wavelengths, w)));
  }
  if (!masks.empty()) {
    result.masks = Cube(static_cast<int>(wanted.size()), masks.height(), masks.width());
    result.masks.wavelengths = wanted;
    for (std::size_t b = 0; b < wanted.size(); ++b) {
      const auto [left, way] = between(wavelengths, wanted[b]);
      const float* from = masks.band(static_cast<int>(left));
      const float* to = masks.band(static_cast<int>(left) + 1);
      float* out = result.masks.band(static_cast<int>(b));
      const auto t = static_cast<float>(std::clamp(way, 0.0, 1.0));
      for (std::size_t i = 0; i < masks.band_size(); ++i) out[i] = (1 - t) * from[i] + t * to[i];
    }
  }
  return result;
}

Camera CameraFile::camera() const {
  const CameraOptions options{.bands = bands(), .axis = axis, .offsets = positions, .wavelengths = wavelengths};
  return masks.empty() ? Camera(mask, options) : Camera(masks, options);
}

CameraFile read_camera(const std::string& path, const ReadOptions& options) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  if (ending != ".h5" && ending != ".hdf5" && ending != ".mat") {
    throw InputError(path, "", "a camera file (.h5)", ending.empty() ? "a name without extension" : ending);
  }
  const Reader reader(path, options);
  const double version = reader.number("camera_version", kVersion, 1, 1e9);
  if (version > kVersion) {
    reader.refuse("camera_version", fmt::format("at most {} (a newer program wrote this file)", kVersion),
                  fmt::format("{}", version));
  }
  CameraFile camera;
  camera.axis = reader.whole("dispersion_axis", 0, 0, 1) == 1 ? Axis::rows : Axis::columns;
  camera.wavelengths = reader.numbers("wavelengths");
  if (!camera.wavelengths.empty() && !io::plausible_wavelengths(camera.wavelengths)) {
    reader.refuse("wavelengths", "nanometres in 100 … 20000", "others");
  }
  std::vector<double> ordered = camera.wavelengths;
  std::ranges::sort(ordered);
  if (const auto twin = std::ranges::adjacent_find(ordered); twin != ordered.end()) {
    reader.refuse("wavelengths", "each once", fmt::format("{:g} nm twice", *twin));
  }
  camera.positions = reader.numbers("positions");
  if (camera.positions.empty()) throw InputError(path, "", "a dataset 'positions'", "none of that name");
  reader.check_count("wavelengths", camera.wavelengths.size(), camera.bands());
  reader.read_masks(camera);
  if (!camera.masks.empty()) {
    if (camera.masks.bands() != camera.bands()) {
      reader.refuse(
          "mask", fmt::format("a mask for each of the {} positions", camera.bands()),
          fmt::format("{} of {}", camera.masks.bands(), shape_text(camera.masks.height(), camera.masks.width())));
    }
    camera.masks.wavelengths = camera.wavelengths;
  }
  camera.band_gains = reader.numbers("band_gains");
  reader.check_count("band_gains", camera.band_gains.size(), camera.bands());
  for (const double g : camera.band_gains) {
    if (!(g > 0)) reader.refuse("band_gains", "numbers above 0", fmt::format("{}", g));
  }
  camera.curve = reader.numbers("curve");
  if (camera.curve.size() > 16) reader.refuse("curve", "at most 16 coefficients", std::to_string(camera.curve.size()));
  if (!camera.curve.empty() && camera.wavelengths.size() < 2) {
    reader.refuse("curve", "wavelengths beside it", std::to_string(camera.wavelengths.size()));
  }
  camera.detector = read_detector(reader);
  camera.provenance = reader.provenance();
  try {
    static_cast<void>(camera.camera());
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", path, error.what()));
  }
  return camera;
}

void write_camera(const CameraFile& camera, const std::string& path) {
  static_cast<void>(camera.camera());  // what is no camera is not written
  std::vector<io::Hdf5Dataset> datasets;
  const auto images = [&](const char* name, const Image& image, const char* text) {
    if (image.empty()) return;
    datasets.push_back({name,
                        {static_cast<std::uint64_t>(image.height()), static_cast<std::uint64_t>(image.width())},
                        image.data(),
                        text});
  };
  const auto numbers = [&](const char* name, const std::vector<double>& values, const char* text) {
    if (!values.empty()) datasets.push_back({name, {values.size()}, values.data(), text});
  };
  const Detector& d = camera.detector;
  const std::vector<double> version = {kVersion};
  const std::vector<double> axis = {camera.axis == Axis::rows ? 1.0 : 0.0};
  const std::vector<double> black = {d.black_level};
  const std::vector<double> saturation = {d.saturation};
  const std::vector<double> gain = {d.gain};
  const std::vector<double> noise = {d.read_noise};
  const std::vector<double> binning = {static_cast<double>(d.binning)};
  const std::vector<double> flip_rows = {d.flip_rows ? 1.0 : 0.0};
  const std::vector<double> flip_columns = {d.flip_columns ? 1.0 : 0.0};
  const std::vector<double> turns = {static_cast<double>(((d.quarter_turns % 4) + 4) % 4)};
  std::vector<double> region;
  if (d.region) {
    for (const int v : {d.region->top, d.region->left, d.region->height, d.region->width}) region.push_back(v);
  }
  const std::string provenance =
      nlohmann::json(camera.provenance).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);

  numbers("camera_version", version, "version of this format");
  if (camera.masks.empty()) {
    images("mask", camera.mask, "coded aperture, transmission");
  } else {
    const Cube& m = camera.masks;
    datasets.push_back({"mask",
                        {static_cast<std::uint64_t>(m.bands()), static_cast<std::uint64_t>(m.height()),
                         static_cast<std::uint64_t>(m.width())},
                        m.data(),
                        "coded aperture of each band, transmission"});
  }
  numbers("wavelengths", camera.wavelengths, "centre of each band, nm");
  numbers("positions", camera.positions, "of each band on the detector, pixels");
  numbers("dispersion_axis", axis, "0: along the columns, 1: along the rows");
  numbers("curve", camera.curve, "position: sum of c_k t^k, t = (2 nm - first - last)/(last - first)");
  numbers("band_gains", camera.band_gains, "what a white target gives in each band");
  numbers("black_level", black, "counts");
  if (d.saturation > 0) numbers("saturation", saturation, "counts from which on a pixel is full");
  if (d.gain > 0) numbers("gain", gain, "electrons a count");
  if (d.read_noise > 0) numbers("read_noise", noise, "electrons");
  if (d.binning > 1) numbers("binning", binning, "pixels along each side that become one");
  if (d.flip_rows) numbers("flip_rows", flip_rows, "raw frames are upside down");
  if (d.flip_columns) numbers("flip_columns", flip_columns, "raw frames are left to right");
  if (turns.front() != 0) numbers("quarter_turns", turns, "clockwise, after the flips");
  numbers("region", region, "top, left, height, width in the raw frame");
  images("dark", d.dark, "counts without light");
  images("flat", d.flat, "response, 1 on average");
  images("bad_pixels", d.bad, "not 0: dead or hot");
  if (!camera.provenance.empty()) {
    datasets.push_back(
        {"provenance", {provenance.size()}, reinterpret_cast<const std::uint8_t*>(provenance.data()), "JSON, UTF-8"});
  }
  io::write_hdf5_datasets(datasets, path);
}

bool is_camera_file(const std::string& path) {
  const std::string ending = lower(std::filesystem::path(path).extension().string());
  std::error_code status;
  if ((ending != ".h5" && ending != ".hdf5") || !std::filesystem::is_regular_file(path, status)) return false;
  try {
    const FileInfo info = describe(path);
    const auto has = [&](const char* name) {
      return std::ranges::find(info.arrays, name, &ArrayInfo::name) != info.arrays.end();
    };
    return has("camera_version") || (has("mask") && has("positions"));
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace snapcube
