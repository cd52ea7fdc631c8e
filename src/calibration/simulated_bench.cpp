#include "calibration/simulated_bench.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <numbers>

#include <snapcube/error.h>
#include <snapcube/io.h>
#include <snapcube/mask.h>
#include <snapcube/scene.h>

#include "base/atomic_file.h"
#include "base/random.h"
#include "calibration/mask_scale.h"
#include "calibration/sampling.h"

namespace snapcube {

namespace {

constexpr int kFine = 4;  ///< finer than the pixels
constexpr int kPad = 4;   ///< pixels of darkness around the mask
constexpr int kMargin = 12;
/// A pixel collects light over its square; its deviation is that of a uniform distribution.
constexpr double kPixelVariance = 1.0 / 12;

/// Streams of random numbers, one a kind of frame.
enum Stream : std::uint64_t { kCapture = 1, kDark, kWhite, kPicture, kEven, kShot, kPattern };
std::uint64_t stream_of(Stream kind, int number) {
  return (static_cast<std::uint64_t>(kind) << 32) + static_cast<std::uint64_t>(number);
}

/// Where a prism sends the bands: linear in 1/λ², from 0, `step` apart on average.
std::vector<double> prism(const std::vector<double>& wavelengths, double step) {
  std::vector<double> result;
  const auto bend = [](double nm) { return -1e5 / (nm * nm); };
  const double first = bend(wavelengths.front());
  const double last = bend(wavelengths.back());
  const double span = step * static_cast<double>(wavelengths.size() - 1);
  for (const double nm : wavelengths) result.push_back(span * (bend(nm) - first) / (last - first));
  const double least = std::ranges::min(result);
  for (double& p : result) p -= least;
  return result;
}

/// A warm lamp times a silicon sensor, roughly.
std::vector<double> lamp_of(const std::vector<double>& wavelengths) {
  std::vector<double> result;
  double mean = 0;
  for (const double nm : wavelengths) {
    const double warm = 0.35 + 1.3 * (nm - 400) / 300;
    const double sensor = std::exp(-0.5 * std::pow((nm - 560) / 110, 2));
    result.push_back(std::max(0.1, warm) * sensor);
    mean += result.back() / static_cast<double>(wavelengths.size());
  }
  for (double& v : result) v /= mean;
  return result;
}

}  // namespace

SimulatedBench::SimulatedBench(const BenchOptions& options) : options_(options) {
  const int bands = static_cast<int>(options_.wavelengths.size());
  if (bands < 2) throw InputError("bench", "wavelengths", "at least two", std::to_string(bands));
  if (options_.height < 16 || options_.width < 16) throw InputError("bench", "size", "at least 16×16", "less");
  if (options_.axis == Axis::rows) {
    // Everything is done along the columns; frames are turned over at the end.
    std::swap(options_.height, options_.width);
  }
  positions_ = prism(options_.wavelengths, options_.step);
  lamp_ = lamp_of(options_.wavelengths);
  top_ = kMargin;
  left_ = kMargin;
  const double span = std::ranges::max(positions_);
  detector_height_ = options_.height + 2 * kMargin;
  detector_width_ = options_.width + 2 * kMargin + static_cast<int>(std::ceil(span));
  mask_ = random_mask(options_.height, options_.width, MaskKind::binary, 0.5, options_.seed);
  scene_ = make_scene(
      options_.scene,
      {.height = options_.height, .width = options_.width, .wavelengths = options_.wavelengths, .seed = options_.seed});

  // The camera that this is: its masks as they lie on the detector.
  Cube masks(bands, options_.height, options_.width);
  masks.wavelengths = options_.wavelengths;
  for (int b = 0; b < bands; ++b) {
    const Image fine = fine_image(nullptr, deviation(b));
    const Similarity move = motion(b);
    const double position = positions_[static_cast<std::size_t>(b)];
    for (int y = 0; y < options_.height; ++y) {
      for (int x = 0; x < options_.width; ++x) {
        const Place at = move.undo({left_ + x + position, static_cast<double>(top_ + y)}, centre());
        masks(b, y, x) = std::max(
            0.0f, cubic(fine, (at.x - left_ + kPad + 0.5) * kFine - 0.5, (at.y - top_ + kPad + 0.5) * kFine - 0.5));
      }
    }
  }
  // Blur carries a little light over the mask's edge, more in some bands: a gain is that of what is left.
  camera_.band_gains = lamp_;
  double mean = 0;
  for (int b = 0; b < bands; ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < masks.band_size(); ++i) sum += masks.band(b)[i];
    camera_.band_gains[static_cast<std::size_t>(b)] *= sum;
    mean += camera_.band_gains[static_cast<std::size_t>(b)] / bands;
  }
  for (double& g : camera_.band_gains) g /= mean;
  mask_unit_ = scale_masks(masks);
  camera_.masks = masks;
  camera_.wavelengths = options_.wavelengths;
  camera_.positions = positions_;
  Detector& d = camera_.detector;
  d.black_level = options_.black_level;
  d.gain = options_.gain;
  d.read_noise = options_.read_noise;
  d.saturation = std::ldexp(1, options_.bits) - 1;
  d.region = Region{top_, left_, options_.height, Camera(masks, {.offsets = positions_}).detector_width()};
  d.bad = Image(detector_height_, detector_width_);
  offsets_ = Image(detector_height_, detector_width_);
  dead_ = Image(detector_height_, detector_width_);
  Random random(options_.seed, stream_of(kPattern, 0));
  for (std::size_t i = 0; i < d.bad.size(); ++i) {
    const double kind = random.uniform();
    const double strength = random.uniform();
    if (kind < options_.hot_share) offsets_.data()[i] = static_cast<float>(60 + 900 * strength);
    if (kind > 1 - options_.dead_share) dead_.data()[i] = 1;
    d.bad.data()[i] = offsets_.data()[i] > 0 || dead_.data()[i] > 0 ? 1 : 0;
  }

  // A band of the brightest scene fills three quarters of what the detector holds.
  radiance_ = scene_;
  for (int b = 0; b < bands; ++b) {
    const double factor = lamp_[static_cast<std::size_t>(b)];
    for (std::size_t i = 0; i < radiance_.band_size(); ++i) radiance_.band(b)[i] *= static_cast<float>(factor);
  }
  const Image sum = camera_.camera().forward(radiance_);
  const double unit = 0.75 / std::ranges::max(sum.values());
  for (float& v : radiance_.values()) v *= static_cast<float>(unit);

  if (options_.axis == Axis::rows) {
    std::swap(options_.height, options_.width);
    camera_.axis = Axis::rows;
    camera_.masks = transposed(camera_.masks);
    radiance_ = transposed(radiance_);
    d.bad = transposed(d.bad);
    d.region = Region{d.region->left, d.region->top, d.region->width, d.region->height};
  }
}

double SimulatedBench::deviation(int band) const {
  const double t = 2.0 * band / (static_cast<double>(positions_.size()) - 1) - 1;
  return std::sqrt(std::pow(options_.blur * (1 + 0.2 * t * t), 2) + kPixelVariance);
}

Place SimulatedBench::centre() const { return {left_ + (mask_.width() - 1) / 2.0, top_ + (mask_.height() - 1) / 2.0}; }

Similarity SimulatedBench::motion(int band) const {
  const double t = static_cast<double>(band) / (static_cast<double>(positions_.size()) - 1) - 0.5;
  const double position = positions_[static_cast<std::size_t>(band)];
  const double across =
      std::tan(options_.angle * std::numbers::pi / 180) * (position - std::ranges::max(positions_) / 2);
  return {position, across, t * options_.turn * std::numbers::pi / 180, 1 + t * options_.growth};
}

/// Mask times `values` (null: 1), four times finer, with a dark border, blurred.
Image SimulatedBench::fine_image(const float* values, double deviation) const {
  const int height = mask_.height();
  const int width = mask_.width();
  Image fine((height + 2 * kPad) * kFine, (width + 2 * kPad) * kFine);
  for (int y = 0; y < height * kFine; ++y) {
    for (int x = 0; x < width * kFine; ++x) {
      if (mask_(y / kFine, x / kFine) == 0) continue;
      float value = 1;
      if (values) {
        // The scene is as smooth as its pixels: linear between their centres.
        const double v = std::clamp((y + 0.5) / kFine - 0.5, 0.0, height - 1.0);
        const double u = std::clamp((x + 0.5) / kFine - 0.5, 0.0, width - 1.0);
        const int r = std::min(static_cast<int>(v), height - 2);
        const int c = std::min(static_cast<int>(u), width - 2);
        const auto at = [&](int i, int k) { return values[static_cast<std::size_t>(i) * width + k]; };
        const double upper = std::lerp(at(r, c), at(r, c + 1), u - c);
        const double lower = std::lerp(at(r + 1, c), at(r + 1, c + 1), u - c);
        value = static_cast<float>(std::lerp(upper, lower, v - r));
      }
      fine(y + kPad * kFine, x + kPad * kFine) = value;
    }
  }
  return smoothed(fine, deviation * kFine);
}

Image SimulatedBench::on_detector(const Image& fine, int band) const {
  Image result(detector_height_, detector_width_);
  const Similarity move = motion(band);
  const Place about = centre();
#pragma omp parallel for schedule(static)
  for (int y = 0; y < detector_height_; ++y) {
    for (int x = 0; x < detector_width_; ++x) {
      const Place at = move.undo({static_cast<double>(x), static_cast<double>(y)}, about);
      result(y, x) = std::max(
          0.0f, cubic(fine, (at.x - left_ + kPad + 0.5) * kFine - 0.5, (at.y - top_ + kPad + 0.5) * kFine - 0.5));
    }
  }
  return result;
}

Image SimulatedBench::counted(const Image& electrons, std::uint64_t stream) const {
  Image counts(detector_height_, detector_width_);
  const double full = std::ldexp(1, options_.bits) - 1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Random random(options_.seed, (stream << 24) + i);
    const double light = dead_.data()[i] > 0 ? 0 : electrons.data()[i];
    const double collected =
        static_cast<double>(random.poisson(std::max(0.0, light))) + options_.read_noise * random.normal();
    const double value = options_.black_level + offsets_.data()[i] + collected / options_.gain;
    counts.data()[i] = static_cast<float>(std::clamp(std::round(value), 0.0, full));
  }
  return options_.axis == Axis::rows ? transposed(counts) : counts;
}

Image SimulatedBench::capture(int band, int number) const {
  Image light = on_detector(fine_image(nullptr, deviation(band)), band);
  // A monochromator is not equally bright everywhere.
  const auto factor = static_cast<float>(options_.electrons * (0.8 + 0.2 * std::cos(0.7 * band)));
  for (float& v : light.values()) v *= factor;
  return counted(light, stream_of(kCapture, 1000 * number + band));
}

Image SimulatedBench::dark(int number) const {
  return counted(Image(detector_height_, detector_width_), stream_of(kDark, number));
}

Image SimulatedBench::white(int number) const {
  Image light(detector_height_, detector_width_);
  for (int b = 0; b < static_cast<int>(positions_.size()); ++b) {
    const Image band = on_detector(fine_image(nullptr, deviation(b)), b);
    for (std::size_t i = 0; i < light.size(); ++i)
      light.data()[i] += static_cast<float>(lamp_[static_cast<std::size_t>(b)]) * band.data()[i];
  }
  const double full = (std::ldexp(1, options_.bits) - 1 - options_.black_level) * options_.gain;
  const double factor = 0.8 * full / std::ranges::max(light.values());
  for (float& v : light.values()) v *= static_cast<float>(factor);
  return counted(light, stream_of(kWhite, number));
}

Image SimulatedBench::mask_picture() const {
  const int middle = static_cast<int>(positions_.size()) / 2;
  Image light = on_detector(fine_image(nullptr, deviation(middle)), middle);
  for (float& v : light.values()) v *= static_cast<float>(options_.electrons);
  return counted(light, stream_of(kPicture, 0));
}

Image SimulatedBench::even(double level, int number) const {
  const double full = (std::ldexp(1, options_.bits) - 1 - options_.black_level) * options_.gain;
  Image light(detector_height_, detector_width_);
  for (int y = 0; y < detector_height_; ++y) {
    for (int x = 0; x < detector_width_; ++x) {
      // A lamp is a little darker towards the corners.
      const double v = 2.0 * y / detector_height_ - 1;
      const double u = 2.0 * x / detector_width_ - 1;
      light(y, x) = static_cast<float>(level * full * (1 - 0.05 * (u * u + v * v)));
    }
  }
  return counted(light, stream_of(kEven, number));
}

Image SimulatedBench::shot() const {
  const Cube& seen = radiance_;
  const Cube along = options_.axis == Axis::rows ? transposed(seen) : seen;
  Image light(detector_height_, detector_width_);
  for (int b = 0; b < along.bands(); ++b) {
    const Image band = on_detector(fine_image(along.band(b), deviation(b)), b);
    for (std::size_t i = 0; i < light.size(); ++i) light.data()[i] += band.data()[i];
  }
  // Radiance is in units of full scale for light that passes a mask of camera().
  const double full = (std::ldexp(1, options_.bits) - 1 - options_.black_level) * options_.gain;
  for (float& v : light.values()) v *= static_cast<float>(full / mask_unit_);
  return counted(light, stream_of(kShot, 0));
}

void write_bench(const SimulatedBench& bench, const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code status;
  if (fs::exists(folder, status) && !(fs::is_directory(folder, status) && fs::is_empty(folder, status))) {
    throw InputError(folder, "", "a folder that is not there yet, or is empty", "files");
  }
  AtomicFolder made(folder);
  const fs::path top = made.path();
  for (const char* name : {"captures", "dark", "exposures", "white", "truth"}) fs::create_directories(top / name);
  const auto put = [&](Image counts, const fs::path& path) {
    for (float& v : counts.values()) v /= 65535;
    write_measurement(counts, (top / path).string(), {.type = SampleType::u16});
  };
  const BenchOptions& options = bench.options();
  for (std::size_t b = 0; b < options.wavelengths.size(); ++b) {
    const double nm = options.wavelengths[b];
    if (std::ranges::find(options.missing, nm) != options.missing.end()) continue;
    put(bench.capture(static_cast<int>(b)), fmt::format("captures/{:g}nm.png", nm));
  }
  constexpr int kDarkFrames = 8;
  for (int i = 0; i < kDarkFrames; ++i) put(bench.dark(i), fmt::format("dark/dark_{:02}.png", i + 1));
  const double levels[] = {0.03, 0.08, 0.15, 0.25, 0.4, 0.55, 0.7, 0.85, 1.2};
  int number = 0;
  for (const double level : levels) {
    for (const int i : {1, 2}) put(bench.even(level, number++), fmt::format("exposures/{:g}ms_{}.png", 20 * level, i));
  }
  constexpr int kWhiteFrames = 8;
  for (int i = 0; i < kWhiteFrames; ++i) put(bench.white(i), fmt::format("white/white_{}.png", i + 1));
  put(bench.mask_picture(), "mask.png");
  put(bench.shot(), "shot.png");
  write_camera(bench.camera(), (top / "truth/camera.h5").string());
  write(bench.radiance(), (top / "truth/scene.h5").string());
  made.commit();
}

}  // namespace snapcube
