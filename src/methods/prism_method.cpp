#include <algorithm>
#include <fmt/format.h>
#include <omp.h>
#include <utility>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "base/text.h"
#include "engine/prism_network.h"
#include "methods/feedback_parameters.h"
#include "methods/method.h"
#include "methods/network_method.h"
#include "methods/units.h"
#include "models/weights.h"

namespace snapcube {

namespace {

/// For any camera: bands, positions, masks per band, detector pixels without weight; in any units.
class PrismMethod final : public Reconstructor::Method {
 public:
  explicit PrismMethod(const Weights& weights)
      : config_(weights.config), network_(weights), feedback_parameters_(weights.config) {
    options_ = options();
  }

  MethodInfo info() override {
    return {config_.variant, config_.variant, "a trained network for any camera", parameters().describe()};
  }
  void configure(const Reconstructor::Settings& settings) override {
    parameters().apply(settings);
    options_ = options();
  }
  CameraOptions camera_defaults() const override {
    CameraOptions options;
    options.bands = config_.bands;
    options.step = config_.step;
    options.wavelengths = config_.wavelengths;
    return options;
  }
  /// It takes any camera, but has learnt from some: many bands over tens of pixels.
  bool fits(const Camera& camera) const override {
    constexpr int kFewest = 8;
    constexpr double kShortest = 12;
    constexpr double kLongest = 120;
    double span = 0;
    for (int b = 0; b < camera.bands(); ++b) span = std::max(span, camera.offset(b));
    return camera.bands() >= kFewest && span >= kShortest && span <= kLongest;
  }
  void reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                   const CubeView& out) override;
  const Image* expected_error() const override {
    return error_.empty() || feedback_.passes().lamp == LampSide::solver ? nullptr : &error_;
  }
  const PassReport* passes() const override { return &feedback_.passes(); }

 private:
  ParameterList parameters() {
    ParameterList list(config_.variant);
    feedback_parameters_.add_to(list);
    add_units(list, units_);
    list.add_bytes(kMaxMemory, max_memory_, "MB that the network may take: higher frames go in slabs; 0: half of all");
    return list;
  }
  FeedbackOptions options() const {
    FeedbackOptions options = feedback_parameters_.options(config_.variant);
    options.knows_gains = true;
    return options;
  }
  int rows_for(const Camera& camera);
  void run(const Image& y, const Camera& camera, const std::function<void(double)>& report, Cube& x);

  ModelConfig config_;
  engine::PrismNetwork network_;
  engine::CanonicalCapture capture_;
  FeedbackParameters feedback_parameters_;
  FeedbackOptions options_;
  Units units_ = Units::automatic;  ///< it knows all of them; max is a way to write the cube
  Feedback feedback_;
  Image measurement_;
  Cube cube_;           ///< what the passes work on
  Image error_;         ///< of the pass that is kept
  Image latest_error_;  ///< of the latest one
  std::uint64_t max_memory_ = 0;
};

/// Rows of a slab: all of the frame's, or as many as fit into the memory.
int PrismMethod::rows_for(const Camera& camera) {
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
  return rows;
}

void PrismMethod::run(const Image& y, const Camera& camera, const std::function<void(double)>& report, Cube& x) {
  capture_.take(y, camera);
  network_.set_progress(report);
  network_.run(capture_, omp_get_max_threads(), rows_for(camera), CubeView(x), &latest_error_);
  network_.set_progress({});
}

void PrismMethod::reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                              const CubeView& out) {
  if (measurement_.height() != measurement.height() || measurement_.width() != measurement.width()) {
    measurement_ = Image(measurement.height(), measurement.width());
  }
  for (int y = 0; y < measurement.height(); ++y) {
    std::copy_n(measurement.row(y), measurement.width(), measurement_.row(y));
  }
  if (cube_.bands() != camera.bands() || cube_.height() != camera.height() || cube_.width() != camera.width()) {
    cube_ = Cube(camera.bands(), camera.height(), camera.width());
  }
  for (Image* error : {&error_, &latest_error_}) {
    if (error->height() != camera.height() || error->width() != camera.width()) {
      *error = Image(camera.height(), camera.width());
    }
  }
  std::function<void(double)> report;
  if (progress) {
    report = [&progress](double share) {
      constexpr int kSteps = 1000;
      if (!progress({static_cast<int>(share * kSteps), kSteps})) throw Interrupted();
    };
  }
  feedback_.run(
      measurement_, camera, options_,
      [this](const Image& y, const Camera& with, const std::function<void(double)>& share, Cube& x) {
        run(y, with, share, x);
      },
      report, cube_, [this] { std::swap(error_, latest_error_); });
  const bool scaled = units_ == Units::max;
  const auto factor = scaled ? static_cast<float>(factor_to_sum(measurement_, camera, units_, true)) : 1.0f;
  for (int b = 0; b < out.bands(); ++b) {
    for (int y = 0; y < out.height(); ++y) {
      const float* from = cube_.row(b, y);
      float* row = out.row(b, y);
      for (int x = 0; x < out.width(); ++x) row[x] = scaled ? std::clamp(from[x] * factor, 0.0f, 1.0f) : from[x];
    }
  }
}

}  // namespace

std::unique_ptr<Reconstructor::Method> make_prism_method(const Weights& weights) {
  return std::make_unique<PrismMethod>(weights);
}

}  // namespace snapcube
