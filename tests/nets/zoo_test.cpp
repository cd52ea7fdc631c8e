// The other networks against what their published implementations compute.

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <torch/torch.h>

#include <snapcube/error.h>

#include "golden.h"
#include "io/format.h"
#include "models/networks.h"
#include "nets/detector.h"
#include "nets/lambda_attention.h"
#include "nets/network_weights.h"
#include "support.h"

namespace snapcube::nets {
namespace {

torch::Tensor load(const std::string& file, const std::string& name) {
  const io::StoredArray array = io::npz_format().load(testing::data_file("golden/zoo/" + file + ".npz"), name, {});
  auto tensor = torch::empty(array.shape);
  std::memcpy(tensor.data_ptr(), array.bytes.data(), array.bytes.size());
  return tensor;
}

NetworkPtr golden_network(const std::string& name) {
  const torch::NoGradGuard no_gradient;
  NetworkPtr network = make_network(network_config(name));
  for (const auto& p : network->named_parameters()) {
    testing::fill_golden(p.key(), p.value().sizes().data(), p.value().sizes().size(), p.value().data_ptr<float>());
  }
  network->eval();  // statistics are 0 and 1, as they are made
  return network;
}

double relative_error(const torch::Tensor& found, const torch::Tensor& expected) {
  EXPECT_EQ(found.sizes(), expected.sizes());
  return ((found - expected).norm() / expected.norm()).item<double>();
}

class ZooGolden : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(ZooGolden, OutputIsThatOfThePublishedImplementation) {
  const auto [name, file] = GetParam();
  const torch::NoGradGuard no_gradient;
  const auto y = load("input", "measurement").unsqueeze(0) * (2.0 / 28);
  const auto mask = load("input", "mask").unsqueeze(0);
  const auto cube = golden_network(name)->forward(shift_back(y, 28, 256, 2), mask).cube[0];
  EXPECT_LT(relative_error(cube.slice(1, 0, 256, 16).slice(2, 0, 256, 16), load(file, "every_16th")), 1e-5);
  const auto flat = cube.flatten(1);
  EXPECT_LT(relative_error(flat.mean(1), load(file, "mean")), 1e-4);
  EXPECT_LT(relative_error(flat.std(1, false), load(file, "std")), 1e-4);
}
INSTANTIATE_TEST_SUITE_P(All, ZooGolden,
                         ::testing::Values(std::pair("mst-s", "mst_s"), std::pair("mst-m", "mst_m"),
                                           std::pair("mst-l", "mst_l"), std::pair("hdnet", "hdnet"),
                                           std::pair("tsa-net", "tsa_net"), std::pair("dgsmp", "dgsmp"),
                                           std::pair("lambda-net", "lambda_net")),
                         [](const auto& test) { return test.param.second; });

TEST(Zoo, NetworksHaveTheTensorsOfTheirDescription) {
  for (const NetworkInfo& info : other_networks()) {
    const ModelConfig config = network_config(info.name);
    std::set<std::string> expected;
    for (const NetworkTensor& tensor : network_tensors(config)) {
      if (tensor.kind != NetworkTensor::Kind::constant) {
        expected.insert(fmt::format("{} {}", tensor.shape.name, fmt::join(tensor.shape.shape, "×")));
      }
    }
    std::set<std::string> found;
    for (const auto& [name, tensor] : kept_tensors(*make_network(config))) {
      found.insert(fmt::format("{} {}", name, fmt::join(tensor.sizes().vec(), "×")));
    }
    EXPECT_EQ(found, expected) << info.name;
  }
}

TEST(Zoo, FramesOfAnySizeBandsAndStep) {
  const torch::NoGradGuard no_gradient;
  for (const NetworkInfo& info : other_networks()) {
    if (info.only_size > 0) continue;
    for (const auto& [bands, step] : {std::pair(5, 1), std::pair(4, -3)}) {
      ModelConfig config = network_config(info.name);
      config.bands = bands;
      config.step = step;
      config.wavelengths.clear();
      const NetworkPtr network = make_network(config);
      network->eval();
      const auto cube = network->reconstruct(torch::rand({2, bands, 22, 37}), torch::rand({2, 22, 37})).cube;
      EXPECT_EQ(cube.sizes(), torch::IntArrayRef({2, bands, 22, 37})) << info.name;
      EXPECT_TRUE(cube.isfinite().all().item<bool>()) << info.name;
    }
  }
}

TEST(Zoo, TsaNetTakesFramesUpToItsSizeOnly) {
  const NetworkPtr network = make_network(network_config("tsa-net"));
  const FrameSize size = usable_size(network->config(), 100, 256);
  EXPECT_EQ(size.height, 256);
  EXPECT_EQ(size.width, 256);
  EXPECT_THROW(network->reconstruct(torch::rand({1, 28, 100, 260}), torch::rand({1, 100, 260})), InputError);
}

/// The share of the loss's change that the gradient explains, in a random direction, in double precision.
double explained(Network& network, const torch::Tensor& x, const torch::Tensor& mask, const torch::Tensor& truth) {
  const auto loss = [&] { return network.loss(network.forward(x, mask), truth, false); };
  network.zero_grad();
  loss().backward();
  double slope = 0;
  std::vector<torch::Tensor> directions;
  for (const auto& p : network.parameters()) {
    directions.push_back(torch::randn_like(p) * 1e-2);
    slope += (p.grad() * directions.back()).sum().item<double>();
  }
  const torch::NoGradGuard no_gradient;
  const auto at = [&](double t) {
    const auto parameters = network.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].add_(directions[i] * t);
    const double value = loss().item<double>();
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i].sub_(directions[i] * t);
    return value;
  };
  constexpr double kStep = 1e-5;
  return (at(kStep) - at(-kStep)) / (2 * kStep) / slope;
}

TEST(Zoo, GradientsAreThoseOfTheLoss) {
  for (const NetworkInfo& info : other_networks()) {
    torch::manual_seed(5);
    ModelConfig config = network_config(info.name);
    // The largest three are made of libtorch's layers alone.
    if (total(network_cost(config, 256, 256)).parameters > 10'000'000) continue;
    // Cameras are float: gradients/data_step_test.cpp has the quotients of the data step.
    if (info.any_camera) continue;
    config.bands = 4;
    config.step = 1;
    config.wavelengths.clear();
    const NetworkPtr network = make_network(config);
    network->to(torch::kDouble);
    const auto x = torch::rand({2, 4, 16, 16}, torch::kDouble);
    const auto mask = torch::rand({2, 16, 16}, torch::kDouble);
    const auto truth = torch::rand({2, 4, 16, 16}, torch::kDouble);
    // HDNet weights its spectra by their own error, and takes no gradient through the weight.
    const double tolerance = info.name == "hdnet" ? 0.05 : 1e-4;
    EXPECT_NEAR(explained(*network, x, mask, truth), 1, tolerance) << info.name;
  }
}

TEST(Zoo, LambdaAttentionScalesByItsWidth) {
  const torch::NoGradGuard no_gradient;
  torch::manual_seed(3);
  LambdaAttention attention(8, 4);
  for (auto& p : attention->parameters()) p.normal_();  // large scores: a wrong scale shows
  const auto x = torch::randn({1, 8, 3, 5});
  const auto weights = attention->named_parameters();
  const auto tokens = x.flatten(2)[0].t();
  const auto q = torch::matmul(tokens, weights["to_q.weight"].t());
  const auto k = torch::matmul(tokens, weights["to_k.weight"].t());
  const auto v = torch::matmul(tokens, weights["to_v.weight"].t());
  auto expected = torch::zeros_like(tokens);
  for (int i = 0; i < 15; ++i) {
    auto sum = torch::zeros({8});
    double norm = 0;
    for (int j = 0; j < 15; ++j) {
      const double e = std::exp((q[i] * k[j]).sum().item<double>() / 2);  // √4
      norm += e;
      sum += e * v[j];
    }
    expected[i] = tokens[i] + weights["gamma"] * sum / norm;
  }
  EXPECT_LT(relative_error(attention->forward(x).flatten(2)[0].t(), expected), 1e-5);
}

TEST(Detector, PartsOfAMeasurementGiveItBack) {
  for (const int step : {2, 1, 0, -3, 7}) {
    const auto width = 5;
    const auto y = torch::rand({2, 4, detector_width(6, width, step)});
    const auto parts = shift_back(y, 6, width, step);
    if (std::abs(step) <= width) {
      EXPECT_TRUE(torch::equal(detector_of(parts, step), y)) << step;
    }
    // on_detector is the adjoint of shift_back_bands.
    const auto x = torch::rand({2, 6, 4, width});
    const auto z = torch::rand({2, 6, 4, detector_width(6, width, step)});
    EXPECT_NEAR((on_detector(x, step) * z).sum().item<double>(),
                (x * shift_back_bands(z, width, step)).sum().item<double>(), 1e-3)
        << step;
  }
}

}  // namespace
}  // namespace snapcube::nets
