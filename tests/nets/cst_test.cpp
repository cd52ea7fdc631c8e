// Configurations of the reference network: counts, sizes, options.

#include "nets/cst.h"

#include <torch/torch.h>

#include <snapcube/error.h>

#include "models/cst_cost.h"
#include "support.h"

namespace snapcube::nets {
namespace {

std::int64_t parameters_of(Cst& network) {
  std::int64_t count = 0;
  for (const auto& p : network->parameters()) count += p.numel();
  return count;
}

ModelConfig tiny() {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 4;
  config.window = 4;
  config.bucket = 8;
  config.wavelengths = {};
  return config;
}

TEST(Cst, ParameterCountsAreThePublishedOnes) {
  const std::pair<const char*, std::int64_t> counts[] = {
      {"cst-s", 1'197'476}, {"cst-m", 1'360'996}, {"cst-l", 2'999'752}, {"cst-l-star", 2'999'500}};
  for (const auto& [variant, count] : counts) {
    Cst network(cst_variant(variant));
    EXPECT_EQ(parameters_of(network), count) << variant;
  }
  ModelConfig twelve = cst_variant("cst-s");
  twelve.bands = 12;
  twelve.wavelengths = {};
  Cst network(twelve);
  EXPECT_EQ(parameters_of(network), 224'628);
}

TEST(Cst, CostsCountTheSameParametersForEveryConfiguration) {
  std::vector<ModelConfig> configs = {tiny(), tiny(), tiny(), tiny(), tiny(), tiny()};
  configs[0].blocks = {3, 1, 2};
  configs[1].mask_input = false;
  configs[2].attention = Attention::none;
  configs[2].estimators = 0;
  configs[2].screening = Screening::none;
  configs[3].screening = Screening::random;
  configs[4].estimators = 2;
  configs[5].rounds = 5;
  for (const ModelConfig& config : configs) {
    Cst network(config);
    EXPECT_EQ(parameters_of(network), total(cst_cost(config, 64, 64)).parameters);
  }
}

TEST(Cst, EveryOptionRunsAndLearns) {
  std::vector<ModelConfig> configs(8, tiny());
  configs[0].hash_floor = true;
  configs[1].scale_logits = true;
  configs[2].scope = Scope::global;
  configs[3].screening = Screening::random;
  configs[4].screening = Screening::uniform;
  configs[5].attention = Attention::none;
  configs[6].screening = Screening::none;
  configs[7].sparsity = 0.75;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    torch::manual_seed(1);
    Cst network(configs[i]);
    const auto x = torch::rand({2, 4, 32, 32});
    const auto mask = torch::rand({2, 32, 32});
    const auto truth = torch::rand({2, 4, 32, 32});
    network->loss(network->forward(x, mask), truth, false).backward();
    for (const auto& p : network->named_parameters()) {
      ASSERT_TRUE(p.value().grad().defined()) << "option " << i << ": " << p.key();
      EXPECT_TRUE(p.value().grad().isfinite().all().item<bool>()) << p.key();
    }
  }
}

TEST(Cst, OptionsChangeTheResult) {
  const torch::NoGradGuard no_gradient;
  const auto x = torch::rand({1, 4, 32, 32});
  const auto mask = torch::rand({1, 32, 32});
  const auto run = [&](const ModelConfig& config) {
    torch::manual_seed(3);
    Cst network(config);
    for (auto& p : network->named_parameters()) {
      if (p.key().find("to_") != std::string::npos) p.value() *= 30;  // attention that matters
    }
    network->eval();
    return network->forward(x, mask).cube;
  };
  const auto base = run(tiny());
  EXPECT_TRUE(torch::equal(base, run(tiny())));
  for (int option = 0; option < 4; ++option) {
    ModelConfig config = tiny();
    if (option == 0) config.hash_floor = true;
    if (option == 1) config.scale_logits = true;
    if (option == 2) config.scope = Scope::global;
    if (option == 3) config.screening = Screening::uniform;
    EXPECT_GT((run(config) - base).abs().max().item<float>(), 1e-6) << option;
  }
}

TEST(Cst, AnyFrameSizeIsReflectedAndCropped) {
  const torch::NoGradGuard no_gradient;
  Cst network(tiny());
  network->eval();
  for (const auto& [h, w] : {std::pair{5, 7}, {33, 16}, {1, 40}, {32, 48}}) {
    const auto output = network->reconstruct(torch::rand({1, 4, h, w}), torch::rand({1, h, w}));
    EXPECT_EQ(output.cube.sizes(), (std::vector<std::int64_t>{1, 4, h, w}));
    EXPECT_EQ(output.error_map.sizes(), (std::vector<std::int64_t>{1, h, w}));
    EXPECT_TRUE(output.cube.isfinite().all().item<bool>());
  }
}

TEST(Cst, ReflectionDoesNotRepeatTheEdge) {
  const auto x = torch::tensor({1.0f, 2.0f, 3.0f});
  const auto y = reflect_to(x, 0, 9);
  EXPECT_TRUE(torch::equal(y, torch::tensor({1.0f, 2.0f, 3.0f, 2.0f, 1.0f, 2.0f, 3.0f, 2.0f, 1.0f})));
}

TEST(Cst, EqualCodesKeepTheOrderOfTheirTokens) {
  ModelConfig config = tiny();
  SahMsa attention(config, 0);
  const auto order = attention->clustering(torch::ones({1, 16, 4}));
  EXPECT_TRUE(torch::equal(order[0][0][0], torch::arange(16)));
}

}  // namespace
}  // namespace snapcube::nets
