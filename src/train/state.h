#pragma once
// All that changes while training, and the file it is kept in.

#include <cstdint>
#include <memory>
#include <string>
#include <torch/torch.h>
#include <vector>

#include "nets/network_weights.h"
#include "samples/config.h"

namespace snapcube {

/// A step is a pure function of this and of the run's configuration: samples, dropout and random screening follow from
/// the seed and a batch's number. There is no other random state.
struct TrainState {
  std::int64_t step = 0;   ///< steps done
  std::int64_t batch = 0;  ///< number of the next batch; all ranks' batches count
  double best_psnr = 0;    ///< of the validations so far
  nets::NetworkPtr network;
  nets::NetworkPtr average;                  ///< the averaged weights; null without EMA
  std::unique_ptr<torch::optim::Adam> adam;  ///< with Optimizer::muon its first moments are Muon's momentum

  /// Tells Adam how many steps it has done (its tensors are set by themselves).
  void tell_adam_the_step();
  /// What is validated, and what becomes of the training.
  const nets::NetworkPtr& result() const { return average ? average : network; }
  /// Everything that is a tensor, by name: model.*, average.*, adam.first.*, adam.second.*.
  std::vector<std::pair<std::string, torch::Tensor>> tensors() const;
};

/// Adam's moments of a parameter, zero before its first step.
torch::optim::AdamParamState& moments(torch::optim::Adam& adam, const torch::Tensor& parameter);

/// Fresh weights from the seed. With `initial`, its tensors where they fit; `transfer` then tells which.
TrainState new_state(const TrainConfig& config, const torch::Device& device, const Weights* initial = nullptr,
                     nets::Transfer* transfer = nullptr);

/// A safetensors file with the tensors above and, in its metadata, the numbers and the model's configuration.
void save_checkpoint(const TrainState& state, const std::string& path);
/// Into a state of the same configuration. Throws InputError when the file is damaged or belongs to another network.
void load_checkpoint(TrainState& state, const std::string& path);

}  // namespace snapcube
