#pragma once
// DIP-HSI: a network is fitted to one measurement; what it can express is the prior. Nothing is learned before.
//
// ADMM on ½‖y − Φx‖² with x = v = T_θ(e), e fixed noise:
//   x ← z + Φᵀ (y − Φz)/(ρ + ΦΦᵀ), z = v + u      explain the measurement, near what the network says
//   v ← T_θ(e), θ ← some steps of Adam on MSE(T_θ(e), x − u) + w·MSE(ΦT_θ(e), y)/mean(ΦΦᵀ)
//   u ← u + v − x

#include <memory>

#include "methods/method.h"

namespace snapcube {

/// Parameters: minutes (of this run), iterations, steps, learning_rate, rho, data_weight, seed, and state: a file that
/// is written after every iteration and on Ctrl-C, and gone on from when it is there.
std::unique_ptr<Reconstructor::Method> make_deep_prior();

}  // namespace snapcube
