// The blocks on the project's kernels against the reference network, forward and backward.

#include <omp.h>
#include <torch/torch.h>

#include "nets/cst.h"
#include "support.h"

namespace snapcube::nets {
namespace {

ModelConfig small(Screening screening) {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 12;
  config.wavelengths = {};
  config.blocks = {2, 1, 2};
  config.screening = screening;
  if (screening == Screening::none) config.sparsity = 0;
  return config;
}

struct Case {
  torch::Tensor measurement;
  torch::Tensor mask;
  torch::Tensor truth;
};

Case random_case(const ModelConfig& config, int batch, int height, int width) {
  torch::manual_seed(7);
  return {torch::rand({batch, config.bands, height, width}), torch::rand({batch, height, width}),
          torch::rand({batch, config.bands, height, width})};
}

/// Loss and gradients of all parameters.
std::pair<CstImpl::Output, std::vector<torch::Tensor>> gradients(Cst& network, const Case& c, bool kernels) {
  network->use_kernels(kernels);
  network->zero_grad();
  torch::manual_seed(11);
  auto output = network->forward(c.measurement, c.mask);
  network->loss(output, c.truth, false).backward();
  std::vector<torch::Tensor> result;
  for (const auto& p : network->parameters()) result.push_back(p.grad().clone());
  return {output, result};
}

void expect_agreement(const ModelConfig& config, int batch, int height, int width, double tolerance = 1e-4) {
  torch::manual_seed(3);
  Cst network(config);
  {
    // Larger weights than at the start of a training: attention that looks somewhere, a LayerNorm that does something.
    const torch::NoGradGuard no_gradient;
    for (auto& p : network->named_parameters()) {
      if (p.key().find("to_") != std::string::npos) p.value().mul_(6);
      if (p.key().find("norm") != std::string::npos) p.value().add_(0.2 * torch::randn_like(p.value()));
    }
  }
  network->train();
  const Case c = random_case(config, batch, height, width);
  const auto [reference, wanted] = gradients(network, c, false);
  const auto [fast, found] = gradients(network, c, true);
  const auto difference_of = (fast.cube - reference.cube).abs();
  EXPECT_LT((tolerance > 1e-4 ? difference_of.median() : difference_of.max()).item<float>(), 2e-5);
  const auto names = network->named_parameters().keys();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = (found[i] - wanted[i]).norm().item<double>();
    EXPECT_LT(difference, tolerance * wanted[i].norm().item<double>() + 1e-7) << names[i];
  }
}

TEST(FastBlocks, GradientsOfAllParametersAgreeWithTheReference) {
  // Where buckets are whole windows, both have the same.
  auto config = small(Screening::estimator);
  config.window = 8;
  expect_agreement(config, 2, 128, 192);
  // Otherwise codes that are equal to rounding put a token here or there into the other bucket.
  expect_agreement(small(Screening::estimator), 2, 128, 192, 5e-3);
}

TEST(FastBlocks, EverySetting) {
  expect_agreement(small(Screening::none), 1, 64, 64);
  auto config = small(Screening::uniform);
  config.scale_logits = true;
  config.rounds = 3;
  config.window = 8;
  config.bucket = 16;
  expect_agreement(config, 1, 64, 96);
  config = small(Screening::random);
  config.hash_floor = true;
  config.rounds = 1;
  config.attention = Attention::none;
  expect_agreement(config, 1, 64, 128);
}

TEST(FastBlocks, TheSameForEveryNumberOfThreads) {
  const auto config = small(Screening::estimator);
  torch::manual_seed(3);
  Cst network(config);
  network->train();
  const Case c = random_case(config, 1, 64, 128);
  const int before = torch::get_num_threads();
  std::vector<std::vector<torch::Tensor>> found;
  // Only the groups of blocks are ours; what libtorch computes around them is compared with a single thread alone.
  for (const int threads : {1, 2}) {
    auto group = SahabGroup(config, 0);
    torch::manual_seed(5);
    const torch::NoGradGuard no_gradient;
    torch::manual_seed(5);
    for (auto& p : group->parameters()) p.copy_(torch::randn_like(p) * 0.1);
    for (auto& b : group->buffers()) b.copy_(torch::randn_like(b));
    group->use_kernels = true;
    const torch::AutoGradMode with_gradient(true);
    omp_set_num_threads(threads);
    auto x = c.measurement.clone().set_requires_grad(true);
    group->forward(x, c.mask).square().sum().backward();
    std::vector<torch::Tensor> all{x.grad()};
    for (const auto& p : group->parameters()) all.push_back(p.grad());
    found.push_back(all);
  }
  omp_set_num_threads(before);
  for (std::size_t i = 0; i < found[0].size(); ++i) EXPECT_TRUE(torch::equal(found[0][i], found[1][i])) << i;
}

/// |d(loss)/dp| against differences of the loss along that direction. Buckets are whole windows here: a token that
/// changes its bucket would make the loss jump.
TEST(FastBlocks, GradientsAreDifferenceQuotients) {
  auto config = small(Screening::none);
  config.estimators = 0;
  config.window = 8;
  config.bucket = 64;
  torch::manual_seed(3);
  auto group = SahabGroup(config, 0);
  group->use_kernels = true;
  const auto x = torch::rand({1, config.bands, 32, 32});
  const auto weight = torch::randn({1, config.bands, 32, 32});
  const auto loss = [&] { return (group->forward(x, {}).to(torch::kDouble) * weight).sum(); };
  loss().backward();
  for (auto& p : group->named_parameters()) {
    const double slope = p.value().grad().norm().item<double>();
    const auto direction = p.value().grad() / slope;
    const torch::NoGradGuard no_gradient;
    constexpr double kStep = 1e-2;
    p.value().add_(direction, kStep);
    const double above = loss().item<double>();
    p.value().add_(direction, -2 * kStep);
    const double below = loss().item<double>();
    p.value().add_(direction, kStep);
    EXPECT_NEAR((above - below) / (2 * kStep), slope, 0.01 * slope + 1e-3) << p.key();
  }
}

}  // namespace
}  // namespace snapcube::nets
