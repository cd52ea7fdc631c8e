// The reference network against what the published implementation computes.

#include "golden.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <torch/torch.h>

#include "io/format.h"
#include "nets/cst.h"
#include "support.h"

namespace snapcube::nets {
namespace {

torch::Tensor load(const std::string& file, const std::string& name) {
  const io::StoredArray array = io::npz_format().load(testing::data_file("golden/" + file + ".npz"), name, {});
  auto tensor = torch::empty(array.shape);
  std::memcpy(tensor.data_ptr(), array.bytes.data(), array.bytes.size());
  return tensor;
}

template <typename Module>
Module golden(Module module, const std::string& prefix) {
  const torch::NoGradGuard no_gradient;
  const auto fill = [&](const std::string& name, const torch::Tensor& t) {
    testing::fill_golden(prefix + name, t.sizes().data(), t.sizes().size(), t.data_ptr<float>());
  };
  for (const auto& p : module->named_parameters()) fill(p.key(), p.value());
  for (const auto& b : module->named_buffers()) fill(b.key(), b.value());
  module->eval();
  return module;
}

float largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a - b).abs().max().item<float>();
}

/// The network's input: measurement · 2/28, shifted back.
torch::Tensor shifted_back(const torch::Tensor& y) {
  std::vector<torch::Tensor> bands;
  const auto width = y.size(1) - 54;
  for (int b = 0; b < 28; ++b) bands.push_back(y.slice(1, 2 * b, 2 * b + width));
  return torch::stack(bands).unsqueeze(0) * (2.0 / 28);
}

TEST(Golden, SahMsa) {
  for (int stage = 0; stage < 3; ++stage) {
    const std::string file = "sah_msa_c" + std::to_string(28 << stage) + "_h" + std::to_string(1 << stage);
    auto module = golden(SahMsa(cst_variant("cst-s"), stage), "m.");
    EXPECT_LT(largest_difference(module(load(file, "x")), load(file, "out")), 1e-4) << file;
  }
}

TEST(Golden, Sahab) {
  struct Case {
    const char* file;
    const char* variant;
    int stage;
    bool shifted;
  };
  for (const Case& c :
       {Case{"sahab_c28_h1_shift0_sparse", "cst-s", 0, false}, Case{"sahab_c28_h1_shift8_sparse", "cst-s", 0, true},
        Case{"sahab_c56_h2_shift8_sparse", "cst-s", 1, true},
        Case{"sahab_c112_h4_shift0_dense", "cst-l-star", 2, false}}) {
    auto module = golden(Sahab(cst_variant(c.variant), c.stage, c.shifted), "m.");
    const auto out = module(load(c.file, "x").unsqueeze(0), load(c.file, "mask").unsqueeze(0))[0];
    EXPECT_LT(largest_difference(out.slice(0, 0, {}, 4).slice(1, 0, {}, 4), load(c.file, "out_every_4th")), 1e-4)
        << c.file;
  }
}

TEST(Golden, FeedForward) {
  auto module = golden(std::make_shared<PreNormImpl<FeedForward>>(28, FeedForward(28)), "m.");
  const auto out = module->forward(load("ffn_c28", "x").unsqueeze(0))[0];
  EXPECT_LT(largest_difference(out.slice(0, 0, 11).slice(1, 0, 12), load("ffn_c28", "out")), 1e-4);
}

TEST(Golden, Estimator) {
  for (const bool sparse : {true, false}) {
    const std::string file = sparse ? "estimator_sparse" : "estimator_dense";
    auto module = golden(Estimator(28, sparse), "m.");
    const auto out = module(load(file, "x").unsqueeze(0))[0].slice(1, 0, {}, 4).slice(2, 0, {}, 4);
    EXPECT_LT(largest_difference(out.slice(0, 0, 28), load(file, "feature_every_4th")), 1e-4);
    if (sparse) {
      EXPECT_LT(largest_difference(out[28], load(file, "error_map_every_4th")), 1e-4);
    }
  }
}

TEST(Golden, Networks) {
  const torch::NoGradGuard no_gradient;
  const std::pair<const char*, const char*> cases[] = {{"cst-s", "cst_s_128x128"},
                                                       {"cst-s", "cst_s_128x192"},
                                                       {"cst-m", "cst_m_128x128"},
                                                       {"cst-l", "cst_l_128x128"},
                                                       {"cst-l-star", "cst_l_plus_128x128"}};
  for (const auto& [variant, file] : cases) {
    auto network = golden(Cst(cst_variant(variant)), "");
    const auto output = network->forward(shifted_back(load(file, "measurement")), load(file, "mask").unsqueeze(0));
    const auto cube = output.cube[0].slice(1, 0, {}, 8).slice(2, 0, {}, 8);
    EXPECT_LT(largest_difference(cube, load(file, "out_every_8th")), 1e-3) << file;
    EXPECT_EQ(output.error_map.defined(), network->config().has_error_map());
    if (output.error_map.defined()) {
      const auto map = output.error_map[0].slice(0, 0, {}, 8).slice(1, 0, {}, 8);
      EXPECT_LT(largest_difference(map, load(file, "error_map_every_8th")), 1e-3) << file;
    }
  }
}

TEST(Golden, ThreeAdamSteps) {
  const std::pair<const char*, const char*> cases[] = {{"cst-s", "train_cst_s"}, {"cst-l-star", "train_cst_l_plus"}};
  for (const auto& [variant, file] : cases) {
    std::ifstream stream(testing::data_file("golden/" + std::string(file) + ".json"));
    const auto expected = nlohmann::json::parse(stream);
    auto network = golden(Cst(cst_variant(variant)), "");
    const auto input = shifted_back(load("train_input", "measurement"));
    const auto mask = load("train_input", "mask").unsqueeze(0);
    const auto truth = load("train_input", "cube").unsqueeze(0);
    torch::optim::Adam adam(network->parameters(), torch::optim::AdamOptions(4e-4));
    for (int step = 0; step < 3; ++step) {
      adam.zero_grad();
      const auto loss = network->loss(network->forward(input, mask), truth, false);
      loss.backward();
      const double want = expected["losses"][static_cast<std::size_t>(step)];
      EXPECT_NEAR(loss.item<double>(), want, (step < 2 ? 1e-4 : 1e-3) * want) << variant << ", step " << step;
      if (step == 0) {
        ASSERT_EQ(network->named_parameters().size(), expected["grad_l2"].size());
        for (const auto& p : network->named_parameters()) {
          const double norm = expected["grad_l2"].at(p.key());
          EXPECT_NEAR(p.value().grad().norm().item<double>(), norm, 1e-3 * norm) << p.key();
        }
      }
      adam.step();
    }
  }
}

TEST(Golden, ParameterNamesAndShapes) {
  std::ifstream stream(testing::data_file("golden/train_cst_s.json"));
  const auto shapes = nlohmann::json::parse(stream)["shapes"];
  Cst network(cst_variant("cst-s"));
  const auto parameters = network->named_parameters();
  EXPECT_EQ(parameters.size(), shapes.size());
  for (const auto& entry : shapes) {
    const std::string name = entry[0];
    ASSERT_TRUE(parameters.contains(name)) << name;
    EXPECT_EQ(parameters[name].sizes().vec(), entry[1].get<std::vector<std::int64_t>>()) << name;
  }
}

}  // namespace
}  // namespace snapcube::nets
