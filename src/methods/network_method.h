#pragma once
// What the networks of the engine have in common as reconstruction methods.

#include <cstdint>
#include <functional>

#include "engine/frame.h"
#include "methods/feedback_parameters.h"
#include "methods/method.h"
#include "methods/parameters.h"
#include "methods/units.h"
#include "models/model_config.h"

namespace snapcube {

/// What bounds a network's memory bounds its weights, too: bytes that a weights file may need under these settings.
/// Whether the setting is a size is said later.
std::uint64_t most_weights(const Reconstructor::Settings& settings);
/// The setting that bounds a network's memory, and what it may take where that says nothing.
inline constexpr const char* kMaxMemory = "max_memory";
std::size_t half_of_memory();

class NetworkMethod : public Reconstructor::Method {
 public:
  explicit NetworkMethod(const ModelConfig& config);

  MethodInfo info() override;
  void configure(const Reconstructor::Settings& settings) override;
  CameraOptions camera_defaults() const override;
  bool fits(const Camera& camera) const override;
  const std::vector<double>& wavelengths(const Camera& camera) const override {
    return camera.wavelengths().empty() ? config_.wavelengths : camera.wavelengths();
  }
  /// Allocates nothing from the second frame of a size on, unless pixels are missing (weights).
  void reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                   const CubeView& out) final;
  const PassReport* passes() const override { return &feedback_.passes(); }

 protected:
  const ModelConfig& config() const { return config_; }
  /// It uses masks per band and the weights of detector pixels itself. The others get the camera's mean mask, and the
  /// measurement without gaps.
  virtual bool knows_camera() const { return false; }
  /// Adds what only this network has.
  virtual void add_parameters(ParameterList&) {}
  /// What a limit on its memory does.
  virtual std::string memory_text() const = 0;
  /// Fills `out` in at most `most` bytes. `usable` is what the frame is reflected to; `report` takes the share that is
  /// done, may throw to stop, and is empty when nobody asks.
  virtual void run(const engine::Frame& frame, const FrameSize& usable, std::size_t most,
                   const std::function<void(double)>& report, const CubeView& out) = 0;

 private:
  ParameterList parameters();
  ImageView without_gaps(const ImageView& weighed, const Camera& camera);

  ModelConfig config_;    ///< as in the file
  FrameSize told_{0, 0};  ///< size of the last frame, of which the log tells when it changes
  Units units_;
  FeedbackParameters feedback_parameters_;
  FeedbackOptions options_;
  Feedback feedback_;
  Image scaled_;                  ///< the measurement as the sum over bands
  Cube cube_;                     ///< what the passes work on
  std::uint64_t max_memory_ = 0;  ///< bytes; 0: half of what the machine has
  Image filled_;                  ///< the measurement without gaps
  bool told_mask_ = false;        ///< that it is a mean
};

}  // namespace snapcube
