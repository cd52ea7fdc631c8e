#pragma once
// How good a network is on scenes that it is not trained on.

#include <optional>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>

#include "nets/network.h"
#include "samples/config.h"

namespace snapcube {

struct ValidationResult {
  double psnr = 0;  ///< means over the scenes, `toolbox` protocol
  double ssim = 0;
  struct Scene {
    std::string name;
    double psnr;
    double ssim;
  };
  std::vector<Scene> scenes;
};

class Validation {
 public:
  /// Reads the scenes of config.validation, cuts the middle of each to the mask's size and simulates its measurement,
  /// without noise.
  explicit Validation(const TrainConfig& config);

  bool empty() const { return scenes_.empty(); }
  ValidationResult run(const nets::NetworkPtr& network, const torch::Device& device) const;
  /// A picture of the first scene as the network sees it now.
  void write_preview(const nets::NetworkPtr& network, const torch::Device& device, const std::string& path) const;

 private:
  struct Scene {
    std::string name;
    Cube truth;
    Image measurement;
  };
  Cube reconstruct(const nets::NetworkPtr& network, const Scene& scene, const torch::Device& device) const;

  const TrainConfig& config_;
  std::optional<Camera> camera_;
  std::vector<Scene> scenes_;
};

}  // namespace snapcube
