#include "models/model_config.h"

#include <functional>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>

#include "models/cst_cost.h"
#include "support.h"

namespace snapcube {
namespace {

TEST(CstCost, BothCountsOfThePaper) {
  const std::tuple<const char*, double, double> counts[] = {
      {"cst-s", 11.67, 11.21}, {"cst-m", 16.91, 16.40}, {"cst-l", 27.81, 27.06}, {"cst-l-star", 40.10, 39.30}};
  for (const auto& [variant, paper, plain] : counts) {
    const LayerCost cost = total(cst_cost(cst_variant(variant), 256, 256));
    EXPECT_NEAR(cost.counted_by_paper / 1e9, paper, 0.005) << variant;
    EXPECT_NEAR(cost.multiply_adds / 1e9, plain, 0.005) << variant;
  }
}

TEST(ModelConfig, SurvivesJson) {
  for (const std::string& name : cst_variant_names()) {
    ModelConfig config = cst_variant(name);
    config.hash_floor = true;
    config.rounds = 3;
    EXPECT_EQ(model_config_from_json(nlohmann::json::parse(to_json(config).dump()), "file"), config);
  }
}

TEST(ModelConfig, BadJsonIsNamed) {
  const auto message = [](const char* text) {
    return testing::error_of<InputError>([&] { model_config_from_json(nlohmann::json::parse(text), "w.safetensors"); });
  };
  EXPECT_EQ(message(R"({"colour": 3})"), "w.safetensors: configuration: expected known keys, found 'colour'");
  EXPECT_EQ(message(R"({"bands": "many"})"),
            "w.safetensors: configuration 'bands': expected a fitting value, found \"many\"");
  EXPECT_NE(message("[1]").find("JSON object"), std::string::npos);
  EXPECT_NE(message(R"({"bands": 1e12})").find("bands"), std::string::npos);
}

TEST(ModelConfig, WhatCannotWorkIsRefusedWithTheReason) {
  const auto refused = [](const std::function<void(ModelConfig&)>& change) {
    ModelConfig config = cst_variant("cst-s");
    change(config);
    return testing::error_of<InputError>([&] { check(config); });
  };
  EXPECT_NE(refused([](ModelConfig& c) { c.sparsity = 1; }).find("leaves no window"), std::string::npos);
  EXPECT_NE(refused([](ModelConfig& c) { c.bucket = 100; }).find("256 tokens"), std::string::npos);
  EXPECT_NE(refused([](ModelConfig& c) { c.window = 7; }).find("window"), std::string::npos);
  EXPECT_NE(refused([](ModelConfig& c) { c.blocks = {1, 0, 1}; }).find("1,0,1"), std::string::npos);
  EXPECT_NE(refused([](ModelConfig& c) { c.estimators = 0; }).find("estimator"), std::string::npos);
  EXPECT_NE(refused([](ModelConfig& c) { c.wavelengths = {500}; }).find("wavelengths"), std::string::npos);
}

TEST(ModelConfig, UsableSizes) {
  const ModelConfig s = cst_variant("cst-s");
  const auto expect = [&](const ModelConfig& c, int h, int w, int height, int width) {
    const FrameSize size = usable_size(c, h, w);
    EXPECT_EQ(size.height, height);
    EXPECT_EQ(size.width, width);
  };
  expect(s, 256, 256, 256, 256);
  expect(s, 660, 660, 704, 704);
  expect(s, 1, 1, 64, 128);
  expect(s, 128, 64, 128, 64);
  expect(cst_variant("cst-l-star"), 10, 10, 64, 64);
}

}  // namespace
}  // namespace snapcube
