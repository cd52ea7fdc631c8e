#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/process.h"
#include "base/terminal.h"
#include "commands/training/training.h"
#include "train/optimizer.h"
#include "train/state.h"

namespace snapcube {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 7;

/// Seconds of the parts of a step.
struct StepTimes {
  std::vector<double> forward, backward, update, all;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

void step(const TrainConfig& config, TrainState& state, const torch::Tensor& measurement, const torch::Tensor& mask,
          const torch::Tensor& truth, StepTimes* times) {
  const auto seconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double>(to - from).count();
  };
  const auto start = Clock::now();
  state.adam->zero_grad();
  const auto loss = state.network->loss(state.network->forward(measurement, mask), truth, false);
  const auto forward = Clock::now();
  loss.backward();
  const auto backward = Clock::now();
  update_weights(config, state);
  const auto end = Clock::now();
  if (!times) return;
  times->forward.push_back(seconds(start, forward));
  times->backward.push_back(seconds(forward, backward));
  times->update.push_back(seconds(backward, end));
  times->all.push_back(seconds(start, end));
}

}  // namespace

void bench_step(const TrainConfig& config, bool json) {
  torch::manual_seed(config.seed);
  const auto bands = config.model.bands;
  const int height = config.sample_height();
  const int width = config.sample_width();
  const auto measurement = torch::rand({config.batch, bands, height, width});
  const auto mask = (torch::rand({config.batch, height, width}) > 0.5).to(torch::kFloat);
  const auto truth = torch::rand({config.batch, bands, height, width});
  TrainState state = new_state(config, torch::kCPU);
  state.network->train();
  state.network->use_kernels(true);
  std::array<StepTimes, 2> times;  // kernels, reference
  // The first step allocates; its peak is that of the kernels alone.
  for (int i = 0; i < 2; ++i) step(config, state, measurement, mask, truth, nullptr);
  const double memory = static_cast<double>(peak_resident_bytes()) / 1e6;
  state.network->use_kernels(false);
  step(config, state, measurement, mask, truth, nullptr);
  ProgressLine line("steps");
  for (int round = 0; round < kRounds; ++round) {
    for (const bool kernels : {true, false}) {
      state.network->use_kernels(kernels);
      step(config, state, measurement, mask, truth, &times[kernels ? 0 : 1]);
    }
    line.update((round + 1.0) / kRounds);
  }
  const double ratio = median(times[1].all) / median(times[0].all);
  if (json) {
    const auto part = [](const StepTimes& t) {
      return nlohmann::ordered_json{{"median_s", median(t.all)},
                                    {"forward_s", median(t.forward)},
                                    {"backward_s", median(t.backward)},
                                    {"update_s", median(t.update)}};
    };
    const nlohmann::ordered_json result = {{"model", config.model.variant},
                                           {"height", height},
                                           {"width", width},
                                           {"batch", config.batch},
                                           {"threads", torch::get_num_threads()},
                                           {"kernels", part(times[0])},
                                           {"reference", part(times[1])},
                                           {"ratio", ratio},
                                           {"kernels_peak_memory_mb", memory}};
    fmt::print("{}\n", result.dump());
    return;
  }
  fmt::print("{}, batch {}, {}×{}, {} threads; medians of {} steps, in turns\n\n", config.model.variant, config.batch,
             height, width, torch::get_num_threads(), kRounds);
  fmt::print("{:<12}{:>10}{:>10}{:>10}{:>10}\n", "seconds", "forward", "backward", "update", "step");
  for (const int i : {0, 1}) {
    const auto& t = times[static_cast<std::size_t>(i)];
    fmt::print("{:<12}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n", i == 0 ? "kernels" : "reference", median(t.forward),
               median(t.backward), median(t.update), median(t.all));
  }
  fmt::print("\n{:.2f} times as fast; at most {:.0f} MB with the kernels\n", ratio, memory);
}

}  // namespace snapcube
