#include "methods/network_method.h"

#include <algorithm>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/memory_size.h"
#include "base/text.h"
#include "models/any_weights.h"
#include "optics/missing_pixels.h"

namespace snapcube {

std::size_t half_of_memory() {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long size = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? static_cast<std::size_t>(pages) / 2 * static_cast<std::size_t>(size)
                               : std::size_t{2} << 30;
}

std::uint64_t most_weights(const Reconstructor::Settings& settings) {
  const std::uint64_t most = WeightsRequest().max_bytes;
  const auto setting = settings.find(kMaxMemory);
  const auto bytes = setting == settings.end() ? std::nullopt : parse_bytes(setting->second, kMegabyte);
  return bytes && *bytes > 0 ? std::min(most, *bytes) : most;
}

NetworkMethod::NetworkMethod(const ModelConfig& config)
    : config_(config),
      units_(config.scale == MeasurementScale::max ? Units::max : Units::automatic),
      feedback_parameters_(config),
      options_(feedback_parameters_.options(config.variant)) {}

void NetworkMethod::configure(const Reconstructor::Settings& settings) {
  parameters().apply(settings);
  options_ = feedback_parameters_.options(config_.variant);
}

MethodInfo NetworkMethod::info() {
  return {config_.variant, config_.variant, fmt::format("a trained network of {} bands", config_.bands),
          parameters().describe()};
}

CameraOptions NetworkMethod::camera_defaults() const {
  CameraOptions options;
  options.bands = config_.bands;
  options.step = config_.step;
  options.wavelengths = config_.wavelengths;
  return options;
}

bool NetworkMethod::fits(const Camera& camera) const {
  if (camera.bands() != config_.bands || camera.axis() != Axis::columns) return false;
  const int first = config_.step < 0 ? -config_.step * (config_.bands - 1) : 0;
  for (int b = 0; b < config_.bands; ++b) {
    if (camera.offset(b) != first + b * config_.step) return false;
  }
  return true;
}

ParameterList NetworkMethod::parameters() {
  ParameterList list(config_.variant);
  feedback_parameters_.add_to(list);
  add_units(list, units_);
  add_parameters(list);
  list.add_bytes(kMaxMemory, max_memory_, memory_text());
  return list;
}

ImageView NetworkMethod::without_gaps(const ImageView& weighed, const Camera& camera) {
  if (!camera.plain() && !std::exchange(told_mask_, true)) {
    log_info(fmt::format("{}: knows one mask for all bands: it gets the mean of the camera's {}", config_.variant,
                         camera.bands()));
  }
  if (!camera.weighted()) return weighed;
  fill_missing(weighed, camera, filled_);
  return filled_;
}

void NetworkMethod::reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                                const CubeView& out) {
  if (camera.bands() != config_.bands) {
    throw InputError(config_.variant, "camera", fmt::format("{} bands, as the model was trained for", config_.bands),
                     std::to_string(camera.bands()));
  }
  const FrameSize usable = usable_size(config_, camera.height(), camera.width());
  const bool new_size = told_.height != camera.height() || told_.width != camera.width();
  if (new_size && (usable.height != camera.height() || usable.width != camera.width())) {
    log_info(fmt::format("{}: the frame of {} is reflected to {}, and the result cropped", config_.variant,
                         shape_text(camera.height(), camera.width()), shape_text(usable.height, usable.width)));
  }
  told_ = {camera.height(), camera.width()};
  std::function<void(double)> report;
  if (progress) {
    report = [&progress](double share) {
      constexpr int kSteps = 1000;
      if (!progress({static_cast<int>(share * kSteps), kSteps})) throw Interrupted();
    };
  }
  if (scaled_.height() != measurement.height() || scaled_.width() != measurement.width()) {
    scaled_ = Image(measurement.height(), measurement.width());
  }
  for (int y = 0; y < measurement.height(); ++y) std::copy_n(measurement.row(y), measurement.width(), scaled_.row(y));
  const double factor = factor_to_sum(scaled_, camera, units_, config_.feedback);
  for (float& v : scaled_.values()) v = static_cast<float>(v * factor);
  if (cube_.bands() != camera.bands() || cube_.height() != camera.height() || cube_.width() != camera.width()) {
    cube_ = Cube(camera.bands(), camera.height(), camera.width());
  }
  // One reference: a function that holds more than two pointers would allocate.
  struct Pass {
    NetworkMethod& method;
    const Camera& camera;
    const FrameSize& usable;
    std::size_t most;
  } pass{*this, camera, usable, max_memory_ > 0 ? static_cast<std::size_t>(max_memory_) : half_of_memory()};
  feedback_.run(
      scaled_, camera, options_,
      [&pass](const Image& y, const Camera&, const std::function<void(double)>& share, Cube& x) {
        NetworkMethod& m = pass.method;
        const ImageView seen = m.knows_camera() ? ImageView(y) : m.without_gaps(y, pass.camera);
        m.run(engine::Frame(seen, pass.camera, MeasurementScale::sum), pass.usable, pass.most, share, CubeView(x));
      },
      report, cube_);
  for (int b = 0; b < out.bands(); ++b) {
    for (int y = 0; y < out.height(); ++y) {
      const float* from = cube_.row(b, y);
      float* row = out.row(b, y);
      for (int x = 0; x < out.width(); ++x) {
        row[x] = units_ == Units::max ? std::clamp(from[x], 0.0f, 1.0f) : static_cast<float>(from[x] / factor);
      }
    }
  }
}

}  // namespace snapcube
