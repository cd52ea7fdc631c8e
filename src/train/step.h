#pragma once
// One step of training.

#include <cstdint>
#include <string>
#include <vector>

#include <snapcube/error.h>

#include "samples/config.h"
#include "samples/samples.h"
#include "train/ranks.h"
#include "train/state.h"

namespace snapcube {

/// A loss or a gradient that is not a number: the state is that before the step.
class Diverged : public Error {
 public:
  using Error::Error;
};

struct StepResult {
  double loss = 0;           ///< mean over accumulated batches and ranks
  double psnr = 0;           ///< of the batch, peak 1
  double gradient_norm = 0;  ///< before clipping
  double waiting = 0;        ///< seconds spent on waiting for data
};

/// Takes config.accumulate batches from the loader. Throws Diverged, naming step and scenes.
StepResult train_step(const TrainConfig& config, TrainState& state, BatchLoader& loader, Ranks& ranks,
                      const torch::Device& device);

}  // namespace snapcube
