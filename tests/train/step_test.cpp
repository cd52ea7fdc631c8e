#include "train/step.h"

#include "alone.h"
#include "nets/network_weights.h"
#include "samples/scenes.h"
#include "support.h"
#include "train/optimizer.h"
#include "train/state.h"

namespace snapcube {
namespace {

TrainConfig tiny_config() {
  TrainConfig config = testing::small_config(4);
  config.model.blocks = {1, 1, 1};
  config.model.window = 2;
  config.model.bucket = 2;
  config.model.sparsity = 0;
  config.crop = 8;
  config.batch = 2;
  config.steps = 100;
  return config;
}

std::vector<double> losses(const TrainConfig& config, TrainState& state, int steps) {
  const testing::CodedScenes scenes(4);
  testing::Alone alone;
  BatchLoader loader(config, scenes, state.batch, 1, 1);
  std::vector<double> result;
  for (int i = 0; i < steps; ++i) result.push_back(train_step(config, state, loader, alone, torch::kCPU).loss);
  return result;
}

TEST(LearningRate, WarmsUpThenFollowsACosine) {
  TrainConfig config;
  config.steps = 1100;
  config.warmup = 100;
  config.learning_rate = 4e-4;
  config.final_learning_rate = 1e-6;
  EXPECT_DOUBLE_EQ(learning_rate(config, 0), 4e-6);
  EXPECT_DOUBLE_EQ(learning_rate(config, 99), 4e-4);
  EXPECT_DOUBLE_EQ(learning_rate(config, 100), 4e-4);
  EXPECT_NEAR(learning_rate(config, 600), (4e-4 + 1e-6) / 2, 1e-12);
  EXPECT_NEAR(learning_rate(config, 1100), 1e-6, 1e-12);
  EXPECT_NEAR(learning_rate(config, 5000), 1e-6, 1e-12);  // a run that was prolonged
}

TEST(LearningRate, IsHeldBeforeTheCosine) {
  TrainConfig config;
  config.steps = 1100;
  config.warmup = 100;
  config.hold = 600;
  config.learning_rate = 4e-4;
  config.final_learning_rate = 0;
  EXPECT_DOUBLE_EQ(learning_rate(config, 100), 4e-4);
  EXPECT_DOUBLE_EQ(learning_rate(config, 700), 4e-4);
  EXPECT_NEAR(learning_rate(config, 900), 2e-4, 1e-12);
  EXPECT_NEAR(learning_rate(config, 1100), 0, 1e-12);
}

TEST(Optimizer, OrthogonalFactorHasTheSingularVectorsAndValuesNearOne) {
  torch::manual_seed(5);
  for (const auto& [rows, columns] : {std::pair{12, 30}, {30, 12}, {16, 16}}) {
    const auto matrix = torch::randn({rows, columns}, torch::kDouble);
    const auto [u, s, vh] = torch::linalg_svd(matrix, false);
    // In the basis of the singular vectors the factor is diagonal.
    const auto inner = u.t().mm(orthogonal_factor(matrix)).mm(vh.t());
    const auto diagonal = inner.diagonal();
    EXPECT_LT((inner - torch::diag(diagonal)).abs().max().item<double>(), 1e-9);
    // Values above a hundredth of the norm.
    const auto kept = diagonal.masked_select(s > 0.01 * matrix.norm());
    EXPECT_GT(kept.min().item<double>(), 0.6);
    EXPECT_LT(kept.max().item<double>(), 1.3);
  }
  EXPECT_EQ(orthogonal_factor(torch::zeros({3, 4})).abs().max().item<double>(), 0);
}

TEST(Optimizer, MuonLowersTheLossAndResumes) {
  const testing::TemporaryFolder folder;
  TrainConfig config = tiny_config();
  config.optimizer = Optimizer::muon;
  config.learning_rate = 2e-3;
  TrainState state = new_state(config, torch::kCPU);
  const auto curve = losses(config, state, 60);
  const auto mean = [&](std::size_t from) { return std::accumulate(&curve[from], &curve[from] + 10, 0.0) / 10; };
  EXPECT_LT(mean(50), 0.6 * mean(0));
  save_checkpoint(state, folder / "a");
  TrainState other = new_state(config, torch::kCPU);
  load_checkpoint(other, folder / "a");
  EXPECT_EQ(losses(config, state, 4), losses(config, other, 4));
}

TEST(Optimizer, MuonsStepIsTheSameForEveryNumberOfThreads) {
  TrainConfig config = tiny_config();
  config.optimizer = Optimizer::muon;
  const int before = torch::get_num_threads();
  std::vector<std::vector<torch::Tensor>> weights;
  for (const int threads : {1, 2, 3}) {
    torch::set_num_threads(threads);
    TrainState state = new_state(config, torch::kCPU);
    torch::manual_seed(7);
    for (auto& p : state.network->parameters()) p.mutable_grad() = torch::randn_like(p);
    update_weights(config, state);
    weights.push_back(state.network->parameters());
  }
  torch::set_num_threads(before);
  for (std::size_t i = 0; i < weights[0].size(); ++i) {
    EXPECT_TRUE(torch::equal(weights[0][i], weights[1][i]));
    EXPECT_TRUE(torch::equal(weights[0][i], weights[2][i]));
  }
}

TEST(Step, TheLossFalls) {
  TrainConfig config = tiny_config();
  config.learning_rate = 2e-3;
  TrainState state = new_state(config, torch::kCPU);
  const auto curve = losses(config, state, 60);
  const auto mean = [&](std::size_t from) { return std::accumulate(&curve[from], &curve[from] + 10, 0.0) / 10; };
  EXPECT_LT(mean(50), 0.6 * mean(0));
  EXPECT_EQ(state.step, 60);
  EXPECT_EQ(state.batch, 60);
}

TEST(Step, AccumulatingTakesThatManyBatches) {
  TrainConfig config = tiny_config();
  config.accumulate = 3;
  TrainState state = new_state(config, torch::kCPU);
  losses(config, state, 2);
  EXPECT_EQ(state.batch, 6);
}

TEST(Step, ClippingBoundsTheGradient) {
  TrainConfig config = tiny_config();
  const testing::CodedScenes scenes(4);
  testing::Alone alone;
  TrainState state = new_state(config, torch::kCPU);
  BatchLoader loader(config, scenes, 0, 1, 1);
  config.clip = 1e-3;
  const StepResult result = train_step(config, state, loader, alone, torch::kCPU);
  EXPECT_GT(result.gradient_norm, 1e-2);
  double squares = 0;
  for (const auto& p : state.network->parameters()) {
    if (p.grad().defined()) squares += p.grad().square().sum().item<double>();
  }
  EXPECT_NEAR(std::sqrt(squares), 1e-3, 1e-6);
}

TEST(Step, TheAverageFollowsTheWeights) {
  TrainConfig config = tiny_config();
  config.ema = 0.5;
  TrainState state = new_state(config, torch::kCPU);
  const auto before = state.network->parameters().front().clone();
  losses(config, state, 1);
  const auto after = state.network->parameters().front();
  // Step 0: decay min(0.5, 1/10).
  EXPECT_TRUE(torch::allclose(state.average->parameters().front(), 0.1 * before + 0.9 * after, 1e-5, 1e-8));
  EXPECT_FALSE(torch::equal(before, after));
}

TEST(Step, L1IsAnotherLoss) {
  TrainConfig config = tiny_config();
  TrainState state = new_state(config, torch::kCPU);
  const double plain = losses(config, state, 1).front();
  config.l1 = true;
  TrainState again = new_state(config, torch::kCPU);
  // The mean of absolute values is below the root of the mean square.
  EXPECT_LT(losses(config, again, 1).front(), plain);
}

TEST(State, ACheckpointHoldsEverything) {
  const testing::TemporaryFolder folder;
  TrainConfig config = tiny_config();
  config.ema = 0.9;
  TrainState state = new_state(config, torch::kCPU);
  losses(config, state, 4);
  state.best_psnr = 31.4159;
  save_checkpoint(state, folder / "a");
  TrainState other = new_state(config, torch::kCPU);
  load_checkpoint(other, folder / "a");
  EXPECT_EQ(other.step, 4);
  EXPECT_EQ(other.batch, 4);
  EXPECT_EQ(other.best_psnr, 31.4159);
  EXPECT_EQ(losses(config, state, 4), losses(config, other, 4));
  save_checkpoint(state, folder / "b");
  save_checkpoint(other, folder / "c");
  EXPECT_EQ(testing::file_content(folder / "b") == testing::file_content(folder / "c"), true);
}

TEST(State, RefusesTheCheckpointOfAnotherNetwork) {
  const testing::TemporaryFolder folder;
  TrainConfig config = tiny_config();
  save_checkpoint(new_state(config, torch::kCPU), folder / "a");
  config.model.blocks = {1, 1, 2};
  TrainState other = new_state(config, torch::kCPU);
  testing::expect_contains(testing::error_of<InputError>([&] { load_checkpoint(other, folder / "a"); }),
                           "expected the network of the run's configuration");
  write_weights(nets::weights_of(*other.network), folder / "weights");
  testing::expect_contains(testing::error_of<InputError>([&] { load_checkpoint(other, folder / "weights"); }),
                           "expected a checkpoint of a training run");
}

TEST(State, TheSeedDecidesHashVectorsAndWeights) {
  TrainConfig config = tiny_config();
  const auto values = [](const TrainConfig& c) {
    std::vector<float> all;
    for (const auto& [name, tensor] : nets::weights_of(*new_state(c, torch::kCPU).network).tensors) {
      if (is_hash_tensor(name)) all.insert(all.end(), tensor.values.begin(), tensor.values.end());
    }
    return all;
  };
  const auto first = values(config);
  EXPECT_EQ(first, values(config));
  config.seed = 2;
  EXPECT_NE(first, values(config));
}

}  // namespace
}  // namespace snapcube
