#pragma once
// Everything that defines a training run. A TOML file has these keys; every key is also an option of `snapcube train`.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/model_config.h"
#include "samples/camera_variety.h"

namespace snapcube {

/// One source of masks, taken with probability weight / Σ weights.
struct MaskSource {
  bool operator==(const MaskSource&) const = default;

  enum class Kind {
    file,    ///< the file as it is; it must have the crop's size, or it is cropped at random (also when larger)
    binary,  ///< random, density drawn from [low, high]
    grey,    ///< random, density drawn from [low, high]
  };
  Kind kind = Kind::file;
  std::string file = {};
  double weight = 1;
  double low = 0.5;
  double high = 0.5;
  bool flips = false;  ///< also rotated and mirrored
  double blur = 0;     ///< largest σ, in pixels, of a Gaussian blur drawn from [0, blur]
};

enum class Optimizer {
  adam,
  muon,  ///< steps of orthogonal matrices for the matrices among the weights (optimizer.h), Adam for the rest
};

struct TrainConfig {
  // model
  ModelConfig model = cst_variant("cst-s");
  std::string init = {};  ///< a weights file to start from

  // data
  std::vector<std::string> data = {};                   ///< folders of scenes (or single scenes)
  std::vector<std::string> exclude = {};                ///< names of scenes in `data` that are not trained on
  std::vector<std::string> validation = {};             ///< the same, for validation
  std::string validation_mask = {};                     ///< mask of the validation; empty: the first mask source
  std::uint64_t memory_limit = std::uint64_t{4} << 30;  ///< bytes of scenes in memory; above: a cache file, mapped
  std::string cache = {};                               ///< that file; empty: inside the run folder

  // samples
  std::vector<MaskSource> masks = {};
  std::vector<std::pair<std::string, double>> noises = {
      {"none", 1.0}};   ///< noise models (NoiseModel::parse) and weights
  int crop = 256;       ///< width of a sample and, unless crop_height says otherwise, its height
  int crop_height = 0;  ///< 0: as high as wide
  int batch = 5;
  /// Of a batch, floor(batch · plain) plain crops; the rest is spliced from four crops of half the size.
  double plain = 0.5;
  /// Every sample is made brighter or darker by a factor from [1/exposure, exposure], its logarithm uniform, but no
  /// brighter than 1: the network's norms make it sensitive to brightness.
  double exposure = 1;
  /// Share of crops that are lit by another lamp (lamp_spectrum). The scenes of a data set have one lamp, and a network
  /// that has seen no other takes every spectrum for one under it.
  double relight = 0;
  std::string lamps = {};  ///< a table of measured lamps (LampList), for half of those crops
  /// Share of samples whose spectra are sampled along a curve, as behind a prism (bend_spectra).
  double bend = 0;
  CameraVariety cameras = {};  ///< for networks that take any camera
  /// Share of samples of the usual camera: a mask of the first source, the model's positions, straight spectra, and
  /// nothing of `cameras`.
  double usual_camera = 0;
  double measurement_gain = 1;  ///< real-data training: 1.2

  // optimisation
  std::int64_t steps = 500'000;
  double learning_rate = 4e-4;
  double final_learning_rate = 1e-6;  ///< cosine from one to the other, per step
  std::int64_t warmup = 0;            ///< steps from 0 to the learning rate
  std::int64_t hold = 0;              ///< steps at the learning rate, between warm-up and cosine
  Optimizer optimizer = Optimizer::adam;
  double clip = 0;     ///< largest gradient norm; 0: not clipped
  double ema = 0;      ///< decay of the averaged weights; 0: none
  bool l1 = false;     ///< L1 in place of sqrt(MSE): the recipe for real data
  int accumulate = 1;  ///< batches whose gradients are averaged in one step
  std::uint64_t seed = 1;

  // run
  std::string device = "cpu";
  int threads = 0;         ///< 0: all cores
  bool reference = false;  ///< libtorch's layers alone, without the project's kernels
  std::int64_t validate_every = 5000;
  std::int64_t save_every = 1000;
  std::int64_t keep_every = 0;  ///< checkpoints that are never removed; 0: none
  std::int64_t log_every = 50;

  int sample_height() const { return crop_height > 0 ? crop_height : crop; }
  int sample_width() const { return crop; }

  bool operator==(const TrainConfig&) const = default;
};

}  // namespace snapcube
