#pragma once
// Training samples. Everything random about sample n of a run follows from the run's seed and n alone, so that a run
// can be resumed at any step, split over any number of ranks and loaded by any number of threads without changing it.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <snapcube/array.h>

#include "samples/config.h"

namespace snapcube {

/// A batch as the network takes it.
struct Batch {
  int size = 0;
  int bands = 0;
  int height = 0;
  int width = 0;
  FloatBuffer truth;        ///< [size][bands][height][width]
  FloatBuffer measurement;  ///< the same shape: simulated, noisy, scaled, shifted back
  FloatBuffer mask;         ///< [size][height][width]
  /// For networks that take any camera, in place of measurement and mask: one for each sample.
  std::vector<CaptureSample> captures;
  std::vector<std::string> scenes;  ///< what each sample was cut from, for messages: "a", or "a + b + c + d"
};

/// Scenes in 16 bits, at the model's wavelengths: in memory, or mapped from a cache file.
class SceneStore {
 public:
  virtual ~SceneStore() = default;
  virtual std::size_t count() const = 0;
  virtual int bands() const = 0;
  virtual const std::string& name(std::size_t scene) const = 0;
  virtual int height(std::size_t scene) const = 0;
  virtual int width(std::size_t scene) const = 0;
  /// [bands][height][width], 65535 standing for 1.
  virtual const std::uint16_t* values(std::size_t scene) const = 0;
};

/// Reads config.data, on several threads. A scene without wavelengths, or for a model without them, must have the
/// model's band count. When the scenes need more than config.memory_limit bytes they go into the cache file (see
/// scene_cache.h), which later runs on the same files take as it is.
/// Throws InputError, naming the file, also for scenes smaller than the crop and for names to exclude that are not
/// there (a typing error must not train on what is kept for the test).
std::unique_ptr<SceneStore> open_scenes(const TrainConfig& config, const std::string& run_folder);

/// Makes batches ahead of time on threads of its own; each of them computes without OpenMP's help, beside the step.
class BatchLoader {
 public:
  /// Batches first_batch, first_batch + stride, … (ranks take turns: stride = number of ranks).
  BatchLoader(const TrainConfig& config, const SceneStore& scenes, std::int64_t first_batch, std::int64_t stride,
              int threads);
  /// Waits for the samples that are being made, not for whole batches.
  ~BatchLoader();
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  /// The next batch, in order. Rethrows what went wrong while making it, then and at every later call.
  std::unique_ptr<Batch> next();
  /// Takes back a batch that is no longer needed: the next one is made in its memory, which the system need not clear.
  void give_back(std::unique_ptr<Batch> batch);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Batch number `index` of the run, made here and now: samples index·batch … index·batch + batch − 1.
///
/// The first floor(batch·plain) samples are one crop each, turned and mirrored at random; the others are spliced 2×2
/// from crops of half the size, which stay as they are, as in the published recipe.
/// Each crop is lit by another lamp as config.relight says (lamp_spectrum).
/// Then the sample is made brighter or darker as config.exposure says.
/// Measurement: y = Σ_b shift_b(mask·x[b]), then y·2/bands·measurement_gain, the range in which noise models act, then
/// noise; for MeasurementScale::max scaled to a maximum of 0.8; then shifted back.
/// For a network that takes any camera: as config.cameras says, and as it was measured (Batch::captures).
Batch make_batch(const TrainConfig& config, const SceneStore& scenes, std::int64_t index);

}  // namespace snapcube
