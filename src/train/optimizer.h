#pragma once
// From gradients to new weights.

#include <cstdint>
#include <torch/torch.h>

#include "samples/config.h"
#include "train/state.h"

namespace snapcube {

/// Learning rate of step `step` (0, 1, …): warm-up, hold, cosine.
double learning_rate(const TrainConfig& config, std::int64_t step);

/// One step of the configured optimizer at the learning rate of state.step. The gradients are used up.
///
/// Optimizer::muon (momentum, orthogonalised): a weight that is a matrix, or a convolution's kernels read as a matrix
/// of outputs × (inputs · taps), moves along the orthogonal factor U·Vᵀ of its momentum's U·S·Vᵀ, so that no direction
/// is learnt slower than another. Depthwise kernels, biases and norms are no matrices and take Adam's step.
void update_weights(const TrainConfig& config, TrainState& state);

/// Close to U·Vᵀ of matrix = U·S·Vᵀ: five steps of X ← aX + (b·XXᵀ + c·(XXᵀ)²)X from X/‖X‖, which bring every singular
/// value above a few thousandths of the norm to 0.7 … 1.2.
torch::Tensor orthogonal_factor(const torch::Tensor& matrix);

}  // namespace snapcube
