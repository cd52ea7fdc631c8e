// Networks of libtorch as methods, by the programs as a user calls them, and their training.

#include "train/network_method.h"

#include <numeric>

#include <snapcube/snapcube.h>

#include "alone.h"
#include "commands/run.h"
#include "models/networks.h"
#include "nets/network_weights.h"
#include "samples/scenes.h"
#include "train/step.h"

namespace snapcube {
namespace {

using testing::contains;
using testing::run;

/// A shot of a camera of four bands.
struct Shot {
  testing::TemporaryFolder folder;
  Camera camera = Camera(random_mask(20, 30, MaskKind::binary, 0.5, 1), {.bands = 4, .step = 1});
  Image measurement = camera.forward(testing::random_cube(4, 20, 30, 2));
  Shot() {
    write_mask(camera.mask(), folder / "mask.mat");
    write_measurement(measurement, folder / "shot.mat");
  }
  testing::Result reconstruct(const std::string& more) const {
    return run(SNAPCUBE_PROGRAM " reconstruct " + folder / "shot.mat" + " --mask " + folder / "mask.mat" + " -o " +
               folder / "cube.npy" + " --bands 4 --step 1 " + more);
  }
};

ModelConfig small(const std::string& name) {
  ModelConfig config = network_config(name);
  config.bands = 4;
  config.step = 1;
  config.wavelengths.clear();
  return config;
}

TEST(NetworkMethod, WhatOnlyLibtorchComputesIsHandedOver) {
  const Shot shot;
  torch::manual_seed(1);
  const nets::NetworkPtr network = nets::make_network(small("hdnet"));
  write_weights(nets::weights_of(*network), shot.folder / "mine.safetensors");
  const auto result = shot.reconstruct("--model " + shot.folder / "mine.safetensors");
  ASSERT_EQ(result.code, 0) << result.output;
  EXPECT_TRUE(contains(result.output, "HDNet needs libtorch: snapcube-train takes over")) << result.output;
  const Cube cube = read_cube(shot.folder / "cube.npy");
  Cube input = shot.camera.shift_back(shot.measurement);
  for (float& v : input.values()) v /= 2;  // 2/bands
  const Cube expected = run_network(*network, std::move(input), shot.camera.mask(), torch::kCPU);
  ASSERT_EQ(cube.size(), expected.size());
  for (std::size_t i = 0; i < cube.size(); ++i) ASSERT_NEAR(cube.data()[i], expected.data()[i], 1e-5);
  // Errors are the program's own, with its exit code.
  const auto bad = shot.reconstruct("--set nonsense=1 --model " + shot.folder / "mine.safetensors");
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(contains(bad.output, "nonsense")) << bad.output;
}

TEST(NetworkMethod, DeepPriorGoesOnFromItsState) {
  const Shot shot;
  const std::string call = "--method dip-hsi --set steps=2 --set iterations=2 --set state=" + shot.folder / "state";
  const auto first = shot.reconstruct(call + " --set minutes=1");
  ASSERT_EQ(first.code, 0) << first.output;
  EXPECT_TRUE(contains(first.output, "2 iterations in")) << first.output;
  const auto second =
      shot.reconstruct("--method dip-hsi --set steps=2 --set iterations=3 --set state=" + shot.folder / "state");
  ASSERT_EQ(second.code, 0) << second.output;
  EXPECT_TRUE(contains(second.output, "going on after iteration 2")) << second.output;
  EXPECT_TRUE(contains(second.output, "3 iterations in")) << second.output;
  testing::write_file(shot.folder / "state", "something else");
  EXPECT_EQ(shot.reconstruct(call).code, 2);
}

TEST(NetworkTraining, EveryNetworkLearns) {
  for (const NetworkInfo& info : other_networks()) {
    if (info.self_supervised || info.only_size > 0) continue;
    // The deepest take 100 MB and more of weights; two of their steps say that they can be trained.
    const bool large = total(network_cost(network_config(info.name), 64, 64)).parameters > 10'000'000;
    TrainConfig config = testing::small_config(4);
    config.model = small(info.name);
    config.crop = 12;
    config.batch = 2;
    config.learning_rate = 1e-3;
    config.ema = 0.9;
    TrainState state = new_state(config, torch::kCPU);
    const testing::CodedScenes scenes(4);
    testing::Alone alone;
    BatchLoader loader(config, scenes, 0, 1, 1);
    std::vector<double> losses;
    const int steps = large ? 2 : 30;
    for (int i = 0; i < steps; ++i) {
      losses.push_back(train_step(config, state, loader, alone, torch::kCPU).loss);
      ASSERT_TRUE(std::isfinite(losses.back())) << info.name;
    }
    if (large) continue;
    const double early = std::accumulate(losses.begin(), losses.begin() + 8, 0.0);
    const double late = std::accumulate(losses.end() - 8, losses.end(), 0.0);
    EXPECT_LT(late, early) << info.name;
    // What is trained can be kept and gone on from.
    const testing::TemporaryFolder folder;
    save_checkpoint(state, folder / "c");
    TrainState again = new_state(config, torch::kCPU);
    load_checkpoint(again, folder / "c");
    const auto before = state.tensors();
    const auto after = again.tensors();
    for (std::size_t i = 0; i < before.size(); ++i) {
      EXPECT_TRUE(torch::equal(before[i].second, after[i].second)) << info.name << ' ' << before[i].first;
    }
  }
}

}  // namespace
}  // namespace snapcube
