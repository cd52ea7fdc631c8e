#pragma once
// A training run: steps, validations, checkpoints, and what is told about them.

#include <functional>
#include <string>

#include "samples/config.h"
#include "samples/run_folder.h"
#include "train/ranks.h"
#include "train/state.h"

namespace snapcube {

struct RunOutcome {
  std::int64_t step = 0;
  bool stopped = false;         ///< asked to, before the last step
  std::string checkpoint = {};  ///< the newest
  double best_psnr = 0;         ///< 0 without validation
  double seconds_per_step = 0;
  double waiting = 0;  ///< share of the time spent on waiting for data
};

/// From state.step to config.steps, or until `stop` says so on any rank: then the step is finished and saved.
///
/// `folder` is the run's on rank 0, null on the others; `path` is its name everywhere. Leaves there, beside logs and
/// checkpoints, two weights files: last.safetensors and, with validation, best.safetensors.
/// Throws Error: a loss that is not a number (the last checkpoint is named), a full disk, ranks that are gone.
RunOutcome run_training(const TrainConfig& config, TrainState& state, RunFolder* folder, const std::string& path,
                        Ranks& ranks, const torch::Device& device, const std::function<bool()>& stop);

}  // namespace snapcube
