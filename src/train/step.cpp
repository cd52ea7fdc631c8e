#include "train/step.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/optimizer.h"

namespace snapcube {

namespace {

/// libtorch's generator draws dropout and random screening; its seed belongs to the batch, not to the history.
void seed_generator(const TrainConfig& config, std::int64_t batch) {
  constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  torch::manual_seed(config.seed * kGolden + static_cast<std::uint64_t>(batch));
}

torch::Tensor to_tensor(FloatBuffer& values, const std::vector<std::int64_t>& shape, const torch::Device& device) {
  return torch::from_blob(values.data(), shape).to(device);
}

nets::Capture to_capture(CaptureSample& sample, const torch::Device& device) {
  const std::int64_t height = sample.masks.height();
  const std::int64_t width = sample.detector_width;
  nets::Capture capture;
  capture.measurement = torch::from_blob(sample.measurement.data(), {height, width}).to(device);
  capture.masks =
      torch::from_blob(sample.masks.data(), {sample.masks.bands(), height, sample.masks.width()}).to(device);
  if (!sample.weights.empty()) {
    capture.weights = torch::from_blob(sample.weights.data(), {height, width}).to(device);
  }
  capture.positions = sample.positions;
  return capture;
}

nets::Network::Output run(nets::Network& network, Batch& batch, const torch::Device& device) {
  if (!batch.captures.empty()) {
    std::vector<nets::Network::Output> outputs;
    for (CaptureSample& sample : batch.captures) outputs.push_back(network.forward_capture(to_capture(sample, device)));
    return nets::joined(outputs);
  }
  const auto measurement = to_tensor(batch.measurement, {batch.size, batch.bands, batch.height, batch.width}, device);
  const auto mask = to_tensor(batch.mask, {batch.size, batch.height, batch.width}, device);
  return network.forward(measurement, mask);
}

/// Of all parameters together; the gradients are scaled down when that exceeds `limit` (0: none).
double clip_gradients(const std::vector<torch::Tensor>& parameters, double limit) {
  std::vector<torch::Tensor> squares;
  for (const auto& p : parameters) {
    if (p.grad().defined()) squares.push_back(p.grad().square().sum());
  }
  const double norm = std::sqrt(torch::stack(squares).to(torch::kDouble).sum().item<double>());
  if (limit > 0 && norm > limit) {
    for (const auto& p : parameters) {
      if (p.grad().defined()) p.mutable_grad().mul_(limit / norm);
    }
  }
  return norm;
}

void update_average(const TrainConfig& config, TrainState& state) {
  if (!state.average) return;
  // Early on the average follows quickly: the first weights are noise.
  const auto step = static_cast<double>(state.step);
  const double decay = std::min(config.ema, (1 + step) / (10 + step));
  const auto parameters = state.network->parameters();
  const auto averages = state.average->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) averages[i].lerp_(parameters[i], 1 - decay);
  // Statistics of batch normalisation are averages already.
  const auto buffers = state.network->buffers();
  const auto copies = state.average->buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) copies[i].copy_(buffers[i]);
}

}  // namespace

StepResult train_step(const TrainConfig& config, TrainState& state, BatchLoader& loader, Ranks& ranks,
                      const torch::Device& device) {
  using Clock = std::chrono::steady_clock;
  StepResult result;
  std::vector<std::string> scenes;
  const auto parameters = state.network->parameters();
  state.network->train();
  state.adam->zero_grad();

  for (int part = 0; part < config.accumulate; ++part) {
    const auto before = Clock::now();
    std::unique_ptr<Batch> batch = loader.next();
    result.waiting += std::chrono::duration<double>(Clock::now() - before).count();
    scenes.insert(scenes.end(), batch->scenes.begin(), batch->scenes.end());
    const std::vector<std::int64_t> shape = {batch->size, batch->bands, batch->height, batch->width};
    const auto truth = to_tensor(batch->truth, shape, device);

    seed_generator(config, state.batch + part * ranks.size() + ranks.rank());
    const auto output = run(*state.network, *batch, device);
    const auto loss = state.network->loss(output, truth, config.l1) / config.accumulate;
    const double value = loss.item<double>();
    if (!std::isfinite(value)) {
      throw Diverged(fmt::format("the loss of step {} is {}; its scenes: {}", state.step + 1, value,
                                 fmt::join(batch->scenes, ", ")));
    }
    const bool last = part + 1 == config.accumulate;
    if (last) ranks.begin_average();
    loss.backward();
    if (last) ranks.finish_average();

    const double mse = torch::mse_loss(output.cube.detach(), truth).item<double>();
    result.loss += value;
    result.psnr += -10 * std::log10(std::max(mse, 1e-10)) / config.accumulate;
    loader.give_back(std::move(batch));
  }

  const torch::NoGradGuard no_gradient;
  result.gradient_norm = clip_gradients(parameters, config.clip);
  if (!std::isfinite(result.gradient_norm)) {
    throw Diverged(fmt::format("the gradient of step {} is {}; its scenes: {}", state.step + 1, result.gradient_norm,
                               fmt::join(scenes, ", ")));
  }
  update_weights(config, state);
  update_average(config, state);
  ++state.step;
  state.batch += static_cast<std::int64_t>(config.accumulate) * ranks.size();
  result.loss = ranks.mean(result.loss);
  result.psnr = ranks.mean(result.psnr);
  return result;
}

}  // namespace snapcube
