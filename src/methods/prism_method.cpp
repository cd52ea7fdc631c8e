#include <algorithm>
#include <fmt/format.h>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "engine/prism_network.h"
#include "methods/method.h"
#include "methods/network_method.h"
#include "models/weights.h"

namespace snapcube {

namespace {

/// For any camera: bands, positions, masks per band, detector pixels without weight; in any units.
class PrismMethod final : public Reconstructor::Method {
 public:
  explicit PrismMethod(const Weights& weights) : config_(weights.config), network_(weights) {}

  MethodInfo info() override {
    return {config_.variant, config_.variant, "a trained network for any camera", parameters().describe()};
  }
  void configure(const Reconstructor::Settings& settings) override { parameters().apply(settings); }
  CameraOptions camera_defaults() const override {
    CameraOptions options;
    options.bands = config_.bands;
    options.step = config_.step;
    options.wavelengths = config_.wavelengths;
    return options;
  }
  void reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                   const CubeView& out) override;
  const Image* expected_error() const override { return error_.empty() ? nullptr : &error_; }

 private:
  ParameterList parameters() {
    ParameterList list(config_.variant);
    list.add_bytes(kMaxMemory, max_memory_, "MB that the network may take: higher frames go in slabs; 0: half of all");
    return list;
  }

  ModelConfig config_;
  engine::PrismNetwork network_;
  engine::CanonicalCapture capture_;
  Image error_;
  std::uint64_t max_memory_ = 0;
};

void PrismMethod::reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                              const CubeView& out) {
  capture_.take(measurement, camera);
  const std::size_t most = max_memory_ > 0 ? static_cast<std::size_t>(max_memory_) : half_of_memory();
  const auto bytes = [&](int rows) { return network_.bytes_for(rows, capture_.width(), camera.bands()); };
  int rows = capture_.height();
  const int least = 2 * engine::PrismNetwork::kOverlap;
  while (rows > least && bytes(rows) > most) rows = std::max(least, rows / 2);
  if (bytes(rows) > most) {
    throw InputError("max_memory", "",
                     fmt::format("at least {} MB, for {} on rows of {} pixels", bytes(rows) / 1'000'000 + 1,
                                 config_.variant, capture_.width()),
                     fmt::format("{} MB", most / 1'000'000));
  }
  if (rows < capture_.height()) {
    log_info(fmt::format("{}: the frame goes in slabs of {} rows, to stay below {} MB", config_.variant, rows,
                         most / 1'000'000));
  }
  if (progress) {
    network_.set_progress([&](double share) {
      constexpr int kSteps = 1000;
      if (!progress({static_cast<int>(share * kSteps), kSteps})) throw Interrupted();
    });
  }
  if (error_.height() != camera.height() || error_.width() != camera.width()) {
    error_ = Image(camera.height(), camera.width());
  }
  network_.run(capture_, omp_get_max_threads(), rows, out, &error_);
  network_.set_progress({});
}

}  // namespace

std::unique_ptr<Reconstructor::Method> make_prism_method(const Weights& weights) {
  return std::make_unique<PrismMethod>(weights);
}

}  // namespace snapcube
