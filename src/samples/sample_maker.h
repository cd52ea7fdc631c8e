#pragma once
// Makes samples: what is read once for a run (masks, noise models), then batch after batch.

#include <cstdint>
#include <stop_token>
#include <utility>
#include <vector>

#include <snapcube/noise.h>

#include "samples/lamp_list.h"
#include "samples/mask_pool.h"
#include "samples/samples.h"

namespace snapcube {

/// Throws InputError with names and sizes when scenes are smaller than the crop.
void check_scene_sizes(const SceneStore& scenes, int height, int width);

/// Constant after construction: several threads may use one. The scenes must outlive it.
class SampleMaker {
 public:
  /// Throws InputError when the configuration and the scenes do not fit together.
  SampleMaker(const TrainConfig& config, const SceneStore& scenes);

  /// What making a sample needs beside the batch.
  struct Workspace {
    Cube truth;
    Cube measurement;
    MaskPair masks;  ///< where a network takes any camera
  };
  Workspace workspace() const;

  /// Batch number `index` (see make_batch) into `batch`, whatever was in it. One that is asked to stop stays
  /// incomplete.
  void make(std::int64_t index, Batch& batch, Workspace& work, const std::stop_token& stop = {}) const;

 private:
  void make_sample(std::int64_t number, bool plain, Batch& batch, int place, Workspace& work) const;
  /// One scene's crop into the cube at (top, left), height × width; returns the scene's name.
  std::string cut(Random& random, bool turned, const Region& target, Cube& cube) const;
  /// Lights a part of a sample by another lamp, or leaves it as it is.
  void relight(Random& random, const Region& part, Cube& cube) const;
  /// Makes a sample brighter or darker.
  void expose(Random& random, Cube& cube) const;
  void measure(Image mask, Random& random, Workspace& work) const;
  /// The same for a camera of the sample's own.
  void capture(const Image& mask, bool usual, Random& random, Workspace& work, CaptureSample& sample) const;
  void add_noise(Random& random, Image& measurement) const;

  TrainConfig config_;
  bool any_camera_;
  const SceneStore& scenes_;
  MaskPool masks_;
  LampList lamps_;
  std::vector<NoiseModel> noises_;
  WeightedChoice noise_choice_;
};

}  // namespace snapcube
