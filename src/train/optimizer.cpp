#include "train/optimizer.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/parallel.h"

namespace snapcube {

namespace {

constexpr double kMomentum = 0.95;

/// Has rows and columns to mix; kernels of one input channel each (depthwise) have not.
bool is_matrix(const torch::Tensor& weight) { return weight.dim() >= 2 && weight.size(0) > 1 && weight.size(1) > 1; }

/// Nesterov's momentum, orthogonalised. An orthogonal matrix of r × c has a root mean square of 1/√max(r, c); the
/// factor brings it to the 0.2 that Adam's steps have, so that one learning rate serves both.
void orthogonal_step(torch::Tensor weight, torch::Tensor momentum, double rate) {
  const torch::Tensor& gradient = weight.grad();
  momentum.mul_(kMomentum).add_(gradient);
  const auto direction = gradient.add(momentum, kMomentum).flatten(1);
  const double larger = static_cast<double>(std::max(direction.size(0), direction.size(1)));
  weight.sub_(orthogonal_factor(direction).view(weight.sizes()), rate * 0.2 * std::sqrt(larger));
}

/// Multiplications of orthogonal_factor, to a factor.
std::int64_t cost(const torch::Tensor& weight) {
  return weight.numel() * std::min(weight.size(0), weight.numel() / weight.size(0));
}

/// Each matrix is one thread's: they are too small for several to multiply them together.
void orthogonal_steps(TrainState& state, double rate) {
  struct Matrix {
    torch::Tensor weight;
    torch::Tensor momentum;
  };
  std::vector<Matrix> matrices;
  for (auto& p : state.network->parameters()) {
    if (p.grad().defined() && is_matrix(p)) matrices.push_back({p, moments(*state.adam, p).exp_avg()});
  }
  std::stable_sort(matrices.begin(), matrices.end(),
                   [](const Matrix& a, const Matrix& b) { return cost(a.weight) > cost(b.weight); });
  parallel_for(static_cast<std::int64_t>(matrices.size()), [&](std::int64_t i) {
    const torch::NoGradGuard no_gradient;  // is of a thread
    Matrix& m = matrices[static_cast<std::size_t>(i)];
    orthogonal_step(m.weight, m.momentum, rate);
    m.weight.mutable_grad() = torch::Tensor();  // Adam passes over it
  });
}

}  // namespace

double learning_rate(const TrainConfig& config, std::int64_t step) {
  if (step < config.warmup) {
    return config.learning_rate * static_cast<double>(step + 1) / static_cast<double>(config.warmup);
  }
  const std::int64_t start = config.warmup + config.hold;
  const auto length = static_cast<double>(std::max<std::int64_t>(1, config.steps - start));
  const double done = std::clamp(static_cast<double>(step - start) / length, 0.0, 1.0);
  const double low = config.final_learning_rate;
  return low + (config.learning_rate - low) * 0.5 * (1 + std::cos(std::numbers::pi * done));
}

torch::Tensor orthogonal_factor(const torch::Tensor& matrix) {
  // The quintic's slope at 0 is as steep as keeps [0, 1] inside [0, 1.2].
  constexpr double kA = 3.4445;
  constexpr double kB = -4.7750;
  constexpr double kC = 2.0315;
  constexpr int kSteps = 5;
  constexpr double kTiny = 1e-12;
  const bool high = matrix.size(0) > matrix.size(1);
  auto x = (high ? matrix.t() : matrix) / std::max(matrix.norm().item<double>(), kTiny);
  for (int i = 0; i < kSteps; ++i) {
    const auto gram = x.mm(x.t());
    x = torch::addmm(x, torch::addmm(gram, gram, gram, kB, kC), x, kA);
  }
  return high ? x.t() : x;
}

void update_weights(const TrainConfig& config, TrainState& state) {
  const torch::NoGradGuard no_gradient;
  const double rate = learning_rate(config, state.step);
  if (config.optimizer == Optimizer::muon) orthogonal_steps(state, rate);
  for (auto& group : state.adam->param_groups()) {
    static_cast<torch::optim::AdamOptions&>(group.options()).lr(rate);
  }
  state.adam->step();
}

}  // namespace snapcube
