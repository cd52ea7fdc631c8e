#include <gtest/gtest.h>

#include <snapcube/camera.h>

#include "engine/prism_network.h"
#include "models/networks.h"
#include "nets/data_step.h"
#include "nets/network.h"
#include "nets/network_weights.h"

namespace snapcube::nets {
namespace {

NetworkPtr small_prism(int bands, bool trained) {
  torch::manual_seed(5);
  ModelConfig config = network_config("prism-s");
  config.bands = bands;
  config.wavelengths.clear();
  auto network = make_network(config);
  // Its last layers are zero at the start; something to compare is wanted.
  const torch::NoGradGuard no_gradient;
  if (trained) {
    for (auto& item : network->named_parameters()) {
      if (item.key().find("output.weight") != std::string::npos) item.value().normal_(0, 0.05);
    }
  }
  return network;
}

Capture capture_of(std::vector<double> positions, bool weighted, int height = 8, int width = 12) {
  torch::manual_seed(7);
  Capture c;
  const auto bands = static_cast<std::int64_t>(positions.size());
  double most = 0;
  for (const double p : positions) most = std::max(most, std::ceil(p));
  c.masks = torch::rand({bands, height, width});
  c.measurement = torch::rand({height, width + static_cast<std::int64_t>(most)}) + 0.5;
  if (weighted) c.weights = (torch::rand_like(c.measurement) > 0.1).to(torch::kFloat);
  c.positions = std::move(positions);
  return c;
}

std::vector<Capture> captures() {
  return {capture_of({0, 2, 4, 6}, false),        capture_of({0, 2, 4, 6}, true),
          capture_of({0, 1.5, 3, 4.5}, true),     capture_of({0, 0.7, 2.4, 5.1}, false),
          capture_of({0, 2, 4, 6, 8, 10}, false), capture_of({0, 2, 4, 6}, false, 7, 13)};
}

double relative(const torch::Tensor& a, const torch::Tensor& b) {
  return ((a - b).norm() / b.norm().clamp_min(1e-12)).item<double>();
}

TEST(Prism, KernelsAndReferenceAgreeInValuesAndGradients) {
  for (const Capture& capture : captures()) {
    auto network = small_prism(4, true);
    std::vector<Network::Output> outputs;
    std::vector<std::vector<torch::Tensor>> gradients;
    const auto truth = torch::rand({1, capture.bands(), capture.masks.size(1), capture.masks.size(2)});
    for (const bool kernels : {false, true}) {
      network->use_kernels(kernels);
      network->zero_grad();
      outputs.push_back(network->forward_capture(capture));
      network->loss(outputs.back(), truth, false).backward();
      gradients.emplace_back();
      for (const auto& p : network->parameters()) gradients.back().push_back(p.grad().clone());
    }
    EXPECT_LT(relative(outputs[1].cube, outputs[0].cube), 1e-5);
    EXPECT_LT(relative(outputs[1].error_map, outputs[0].error_map), 1e-5);
    double all = 0;
    for (const auto& g : gradients[0]) all += g.square().sum().item<double>();
    for (std::size_t i = 0; i < gradients[0].size(); ++i) {
      // η and μ sum over all pixels what nearly cancels: rounding is a part of all gradients there.
      const double error = (gradients[1][i] - gradients[0][i]).norm().item<double>();
      EXPECT_LT(error, 1e-4 * gradients[0][i].norm().item<double>() + 1e-5 * std::sqrt(all))
          << network->named_parameters()[i].key();
    }
  }
}

TEST(Prism, UnitsOfTheMeasurementAreThoseOfTheCube) {
  const torch::NoGradGuard no_gradient;
  auto network = small_prism(4, true);
  for (Capture capture : captures()) {
    const auto once = network->forward_capture(capture);
    for (const double factor : {137.0, 1e-4}) {
      Capture other = capture;
      other.measurement = capture.measurement * factor;
      const auto result = network->forward_capture(other);
      EXPECT_LT(relative(result.cube / factor, once.cube), 1e-5);
      EXPECT_LT(relative(result.error_map / factor, once.error_map), 1e-5);
    }
  }
}

TEST(Prism, UntrainedItExplainsTheMeasurement) {
  const torch::NoGradGuard no_gradient;
  auto network = small_prism(4, false);
  for (const Capture& capture : captures()) {
    const auto cube = network->forward_capture(capture).cube[0];
    auto rest = capture.measurement - project(capture, cube);
    if (capture.weights.defined()) rest = rest * capture.weights;
    EXPECT_LT(rest.norm().item<double>() / capture.measurement.norm().item<double>(), 0.25);
  }
}

TEST(Prism, WhatCannotBeSeenIsFinite) {
  const torch::NoGradGuard no_gradient;
  auto network = small_prism(4, true);
  Capture capture = capture_of({0, 2, 4, 6}, true);
  capture.masks.slice(1, 0, 2).zero_();  // closed rows
  capture.weights.slice(0, 4, 5).zero_();
  EXPECT_TRUE(network->forward_capture(capture).cube.isfinite().all().item<bool>());
  capture.measurement.zero_();  // a dark frame
  EXPECT_TRUE(network->forward_capture(capture).cube.isfinite().all().item<bool>());
  capture.weights.zero_();  // a dead detector
  EXPECT_TRUE(network->forward_capture(capture).cube.isfinite().all().item<bool>());
  capture.masks.zero_();
  EXPECT_TRUE(network->forward_capture(capture).cube.isfinite().all().item<bool>());
}

TEST(Prism, PixelsWithoutWeightDoNotCount) {
  const torch::NoGradGuard no_gradient;
  auto network = small_prism(4, true);
  Capture capture = capture_of({0, 2, 4, 6}, true);
  const auto once = network->forward_capture(capture).cube;
  capture.measurement = torch::where(capture.weights > 0, capture.measurement, torch::full({1}, 1e6));
  EXPECT_LT(relative(network->forward_capture(capture).cube, once), 1e-5);
}

TEST(Prism, TakesTheConfigurationsCameraAsOthersDo) {
  const torch::NoGradGuard no_gradient;
  auto network = small_prism(4, true);
  const Capture capture = [] {
    Capture c = capture_of({0, 2, 4, 6}, false);
    c.masks = c.masks.slice(0, 0, 1).expand_as(c.masks);
    return c;
  }();
  const auto shifted = shift_back(capture, capture.measurement).unsqueeze(0) * (2.0 / 4);
  EXPECT_LT(
      relative(network->forward(shifted, capture.masks.slice(0, 0, 1)).cube, network->forward_capture(capture).cube),
      1e-6);
}

struct CameraCase {
  std::vector<double> offsets;
  bool per_band;
  bool weighted;
  int height = 8;
  int width = 12;
};

class PrismEngine : public testing::TestWithParam<CameraCase> {};

TEST_P(PrismEngine, IsTheReference) {
  const torch::NoGradGuard no_gradient;
  const CameraCase& c = GetParam();
  auto network = small_prism(4, true);
  const auto bands = static_cast<int>(c.offsets.size());
  torch::manual_seed(3);
  const auto random = torch::rand({bands, c.height, c.width});
  Cube masks(bands, c.height, c.width);
  Image mask(c.height, c.width);
  std::copy_n(random.data_ptr<float>(), masks.size(), masks.data());
  std::copy_n(random.data_ptr<float>(), mask.size(), mask.data());
  const CameraOptions options{.bands = bands, .offsets = c.offsets};
  Camera camera = c.per_band ? Camera(masks, options) : Camera(mask, options);
  Image y(camera.detector_height(), camera.detector_width());
  Image weights(y.height(), y.width());
  const auto light = torch::rand({y.height(), y.width()}) + 0.2;
  const auto parts = torch::rand({y.height(), y.width()});
  for (std::size_t i = 0; i < y.size(); ++i) {
    y.values()[i] = 30 * light.data_ptr<float>()[i];
    const float part = parts.data_ptr<float>()[i];
    weights.values()[i] = part < 0.1f ? 0.0f : part < 0.2f ? 0.25f : 1.0f;
  }

  Capture capture;
  capture.measurement = torch::from_blob(y.data(), {y.height(), y.width()}).clone();
  capture.masks = c.per_band ? random : random.slice(0, 0, 1).expand_as(random);
  if (c.weighted) {
    capture.weights = torch::from_blob(weights.data(), {y.height(), y.width()}).clone();
    camera.set_weights(weights);
    camera.weigh(y);
  }
  capture.positions = c.offsets;
  network->use_kernels(false);
  const auto expected = network->forward_capture(capture);

  engine::PrismNetwork engine(weights_of(*network));
  engine::CanonicalCapture canonical;
  canonical.take(y, camera);
  Cube cube(bands, c.height, c.width);
  Image error(c.height, c.width);
  engine.run(canonical, 2, 1 << 20, cube, &error);
  EXPECT_LT(relative(torch::from_blob(cube.data(), {1, bands, c.height, c.width}), expected.cube), 1e-5);
  EXPECT_LT(relative(torch::from_blob(error.data(), {1, c.height, c.width}), expected.error_map), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(
    Cameras, PrismEngine,
    testing::Values(CameraCase{{0, 2, 4, 6}, false, false}, CameraCase{{0, 2, 4, 6}, true, true},
                    CameraCase{{0, 0.7, 2.4, 5.1}, true, false}, CameraCase{{0, 0.7, 2.4, 5.1}, false, true},
                    CameraCase{{0, 2, 4, 6, 8, 10}, false, false}, CameraCase{{0, 3}, false, false},
                    CameraCase{{0, 2, 4, 6}, false, false, 7, 13}, CameraCase{{0, 2, 4, 6}, false, false, 3, 5}));

}  // namespace
}  // namespace snapcube::nets
