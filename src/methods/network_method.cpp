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

ParameterList NetworkMethod::parameters() {
  static const std::vector<std::pair<std::string, MeasurementScale>> kScales = {{"sum", MeasurementScale::sum},
                                                                                {"max", MeasurementScale::max}};
  ParameterList list(config_.variant);
  list.add("scale", scale_, kScales, "what the measurement is: the sum over bands, or in arbitrary units");
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
  const engine::Frame frame(knows_camera() ? measurement : without_gaps(measurement, camera), camera, scale_);
  run(frame, usable, max_memory_ > 0 ? static_cast<std::size_t>(max_memory_) : half_of_memory(), report, out);
  if (scale_ != MeasurementScale::max) return;
  for (int b = 0; b < out.bands(); ++b) {
    for (int y = 0; y < out.height(); ++y) {
      float* row = out.row(b, y);
      for (int x = 0; x < out.width(); ++x) row[x] = std::clamp(row[x], 0.0f, 1.0f);
    }
  }
}

}  // namespace snapcube
