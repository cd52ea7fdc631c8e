#pragma once
// Training samples. Everything random about sample n of a run follows from the run's seed and n alone, so that a run
// can be resumed at any step, split over any number of ranks and loaded by any number of threads without changing it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <snapcube/array.h>

#include "train/config.h"

namespace snapcube {

/// A batch as the network takes it.
struct Batch {
  int size = 0;
  int bands = 0;
  int height = 0;
  int width = 0;
  FloatBuffer truth;                ///< [size][bands][height][width]
  FloatBuffer measurement;          ///< the same shape: simulated, noisy, scaled, shifted back
  FloatBuffer mask;                 ///< [size][height][width]
  std::vector<std::string> scenes;  ///< what each sample was cut from, for messages
};

/// Scenes in 16 bits, at the model's wavelengths: in memory, or mapped from a cache file.
class SceneStore {
 public:
  virtual ~SceneStore() = default;
  virtual std::size_t count() const = 0;
  virtual const std::string& name(std::size_t scene) const = 0;
  virtual int height(std::size_t scene) const = 0;
  virtual int width(std::size_t scene) const = 0;
  /// [bands][height][width], 65535 standing for 1.
  virtual const std::uint16_t* values(std::size_t scene) const = 0;
};
std::unique_ptr<SceneStore> open_scenes(const TrainConfig& config, const std::string& run_folder);

/// Makes batches ahead of time on threads of its own.
class BatchLoader {
 public:
  /// Batches first_batch, first_batch + stride, … (ranks take turns: stride = number of ranks).
  BatchLoader(const TrainConfig& config, const SceneStore& scenes, std::int64_t first_batch, std::int64_t stride,
              int threads);
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch, in order. Rethrows what went wrong while making it.
  std::unique_ptr<Batch> next();

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Batch number `index` of the run, made here and now.
Batch make_batch(const TrainConfig& config, const SceneStore& scenes, std::int64_t index);

}  // namespace snapcube
