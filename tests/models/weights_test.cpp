#include "models/weights.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include <snapcube/error.h>

#include "golden.h"
#include "io/input_file.h"
#include "io/safetensors.h"
#include "models/cst_cost.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

constexpr std::uint64_t kPlenty = 1 << 30;

ModelConfig tiny_config() {
  ModelConfig config = cst_variant("cst-s");
  config.bands = 3;
  config.blocks = {1, 1, 1};
  config.wavelengths = {450, 550.5, 650};
  return config;
}

Weights golden_weights(const ModelConfig& config) {
  Weights weights{config, {}};
  for (const auto& [name, shape] : cst_parameters(config)) {
    NamedTensor tensor{name, shape, {}};
    tensor.values.resize(
        static_cast<std::size_t>(std::reduce(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>())));
    fill_golden(name, shape.data(), shape.size(), tensor.values.data());
    weights.tensors[name] = std::move(tensor);
  }
  return weights;
}

void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

std::string refusal(const Weights& weights) {
  return error_of<InputError>([&] { check_weights(weights, "w"); });
}

/// The file of a model with another metadata text, or none.
std::vector<std::byte> file_with_metadata(const Weights& weights, const std::map<std::string, std::string>& metadata) {
  Safetensors content;
  content.metadata = metadata;
  for (const auto& [name, tensor] : weights.tensors) {
    content.tensors.push_back({name, TensorType::f32, tensor.shape, std::as_bytes(std::span(tensor.values))});
  }
  return safetensors_file(content);
}

TEST(CstParameters, AreThePublishedOnes) {
  for (const auto& [file, variant] :
       {std::pair{"train_cst_s.json", "cst-s"}, {"train_cst_l_plus.json", "cst-l-star"}}) {
    std::ifstream stream(data_file(std::string("golden/") + file));
    std::vector<ParameterShape> published;
    const nlohmann::json golden = nlohmann::json::parse(stream);
    for (const auto& entry : golden["shapes"]) {
      published.push_back({entry[0].get<std::string>(), entry[1].get<std::vector<std::int64_t>>()});
    }
    std::vector<ParameterShape> ours = cst_parameters(cst_variant(variant));
    const auto hash = std::ranges::find_if(ours, is_hash_tensor, &ParameterShape::name);
    EXPECT_TRUE(std::all_of(hash, ours.end(), [](const auto& p) { return is_hash_tensor(p.name); }));
    ours.erase(hash, ours.end());
    EXPECT_EQ(ours, published) << variant;
  }
}

TEST(CstParameters, CountAsTheCostDoes) {
  std::vector<ModelConfig> configs(8, cst_variant("cst-m"));
  configs[0].bands = 12;
  configs[1].mask_input = false;
  configs[2].attention = Attention::none;
  configs[3].estimators = 2;
  configs[4].screening = Screening::uniform;
  configs[5].screening = Screening::random;
  configs[5].estimators = 0;
  configs[6].blocks = {3, 1, 5};
  configs[7].bands = 1;
  for (const std::string& name : cst_variant_names()) configs.push_back(cst_variant(name));
  std::vector<std::int64_t> totals;
  for (const ModelConfig& config : configs) {
    std::int64_t count = 0;
    for (const auto& [name, shape] : cst_parameters(config)) {
      if (!is_hash_tensor(name)) count += std::reduce(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    }
    EXPECT_EQ(count, total(cst_cost(config, 256, 256)).parameters) << to_json(config).dump();
    totals.push_back(count);
  }
  EXPECT_EQ(std::vector(totals.end() - 4, totals.end()),
            (std::vector<std::int64_t>{1'197'476, 1'360'996, 2'999'752, 2'999'500}));
}

TEST(CstParameters, HashVectorsOfEveryBlock) {
  ModelConfig config = tiny_config();
  config.rounds = 4;
  std::vector<ParameterShape> hash = cst_parameters(config);
  std::erase_if(hash, [](const auto& p) { return !is_hash_tensor(p.name); });
  ASSERT_EQ(hash.size(), 10u);
  for (std::size_t i = 0; i < hash.size(); i += 2) {
    EXPECT_EQ(hash[i].shape, (std::vector<std::int64_t>{5, 4}));
    EXPECT_EQ(hash[i + 1].shape, (std::vector<std::int64_t>{4}));
  }
  EXPECT_EQ(hash[4].name, "bottleneck.blocks.0.attn.fn.hash_alpha");
  EXPECT_EQ(hash[5].name, "bottleneck.blocks.0.attn.fn.hash_beta");
  config.attention = Attention::none;
  EXPECT_FALSE(std::ranges::any_of(cst_parameters(config), is_hash_tensor, &ParameterShape::name));
}

TEST(Weights, SurviveAFile) {
  TemporaryFolder folder;
  const Weights written = golden_weights(tiny_config());
  write_weights(written, folder / "w.safetensors");
  const Weights read = read_weights(folder / "w.safetensors", kPlenty);
  EXPECT_EQ(read.config, written.config);
  ASSERT_EQ(read.tensors.size(), written.tensors.size());
  for (const auto& [name, tensor] : written.tensors) {
    EXPECT_EQ(read.tensors.at(name).name, name);
    EXPECT_EQ(read.tensors.at(name).shape, tensor.shape);
    EXPECT_EQ(read.tensors.at(name).values, tensor.values);
  }
  write_weights(read, folder / "again.safetensors");
  EXPECT_EQ(InputFile(folder / "w.safetensors").rest(0, kPlenty),
            InputFile(folder / "again.safetensors").rest(0, kPlenty));
}

TEST(Weights, HalfPrecisionKeepsTheHashVectors) {
  TemporaryFolder folder;
  Weights written = golden_weights(tiny_config());
  write_weights(written, folder / "w.safetensors", true);
  const Weights read = read_weights(folder / "w.safetensors", kPlenty);
  bool rounded = false;
  for (const auto& [name, tensor] : written.tensors) {
    const FloatBuffer& values = read.tensors.at(name).values;
    ASSERT_EQ(values.size(), tensor.values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double tolerance = is_hash_tensor(name) ? 0 : std::abs(tensor.values[i]) * 0x1p-11 + 0x1p-25;
      ASSERT_NEAR(values[i], tensor.values[i], tolerance) << name;
      rounded |= values[i] != tensor.values[i];
    }
  }
  EXPECT_TRUE(rounded);
  written.tensors["out_proj.weight"].values[2] = 70'000;
  expect_contains(error_of<Error>([&] { write_weights(written, folder / "w.safetensors", true); }),
                  "tensor 'out_proj.weight' has the value 70000, above 65504");
  EXPECT_EQ(read_weights(folder / "w.safetensors", kPlenty).tensors.size(), read.tensors.size());  // the old file
}

TEST(Weights, AllThatDoesNotFitIsListed) {
  Weights weights = golden_weights(tiny_config());
  EXPECT_NO_THROW(check_weights(weights, "w"));
  weights.tensors.erase("out_proj.weight");
  weights.tensors.erase("bottleneck.blocks.0.attn.fn.hash_beta");
  weights.tensors["extra"] = {"extra", {1}, {0}};
  weights.tensors["other\n"] = {"other\n", {}, {0}};
  weights.tensors["fe.in_proj.weight"].shape = {3, 1, 3};
  EXPECT_EQ(refusal(weights),
            fmt::format("w: tensors: expected the {} of its configuration, found 2 missing: out_proj.weight, "
                        "bottleneck.blocks.0.attn.fn.hash_beta; 2 unexpected: 'extra', 'other?'; 1 of another shape: "
                        "fe.in_proj.weight (3×1×3 instead of 3×3×1×1)",
                        cst_parameters(weights.config).size()));
  weights.tensors["fution.weight"].values.pop_back();
  EXPECT_THROW(check_weights(weights, "w"), std::logic_error);  // no file has such a tensor
}

TEST(Weights, ValuesAreFinite) {
  Weights weights = golden_weights(tiny_config());
  weights.tensors["fution.weight"].values[17] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(refusal(weights), "w: tensor 'fution.weight': expected finite values, found NaN at element 17");
  weights.tensors["fution.weight"].values[0] = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(refusal(weights), "w: tensor 'fution.weight': expected finite values, found infinity at element 0");
  TemporaryFolder folder;
  EXPECT_THROW(write_weights(weights, folder / "w.safetensors"), InputError);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Weights, TheConfigurationIsChecked) {
  const Weights weights = golden_weights(tiny_config());
  const auto message = [&](const std::map<std::string, std::string>& metadata) {
    const std::vector<std::byte> file = file_with_metadata(weights, metadata);
    return error_of<InputError>([&] { parse_weights(file, "w", kPlenty); });
  };
  const std::string good = to_json(weights.config).dump();
  EXPECT_NO_THROW(parse_weights(file_with_metadata(weights, {{"snapcube", good}, {"note", "x"}}), "w", kPlenty));
  EXPECT_EQ(message({{"format", "pt"}}),
            "w: expected a Snapcube weights file (metadata key 'snapcube'), found a safetensors file without that key");
  EXPECT_EQ(message({{"snapcube", "{\"bands\":"}}), "w: metadata 'snapcube': expected JSON, found '{\"bands\":'");
  EXPECT_EQ(message({{"snapcube", good + std::string("\0}", 2)}}),
            "w: metadata 'snapcube': expected JSON, found a zero byte");
  EXPECT_EQ(message({{"snapcube", "[]"}}), "w: configuration: expected a JSON object, found array");
  EXPECT_EQ(message({{"snapcube", R"({"bands":3,"bands":4})"}}),
            "w: metadata 'snapcube': expected every key once, found 'bands' twice");
  EXPECT_EQ(message({{"snapcube", R"({"sparsity":1e999})"}}).substr(0, 35), "w: metadata 'snapcube': expected JS");
  expect_contains(message({{"snapcube", R"({"bands":)" + std::string(60'000, '[')}}), "a flat JSON object");
  expect_contains(message({{"snapcube", std::string(70'000, ' ') + good}}), "at most 65536 bytes");
  expect_contains(message({{"snapcube", R"({"bands":28})"}}), "of another shape: fution.weight (3×6×1×1 instead of");
}

TEST(Weights, TheLimitCountsFileAndMemory) {
  TemporaryFolder folder;
  const Weights weights = golden_weights(tiny_config());
  const std::string path = folder / "w.safetensors";
  write_weights(weights, path, true);
  const std::uint64_t size = std::filesystem::file_size(path);
  expect_contains(error_of<InputError>([&] { read_weights(path, size - 1); }), "the limit for reading");
  expect_contains(error_of<InputError>([&] { read_weights(path, size); }), "values of 4 bytes");
  EXPECT_NO_THROW(read_weights(path, 2 * size));
  expect_contains(error_of<InputError>([&] { read_weights(folder / "none", size); }), "none: expected a readable file");
}

TEST(Weights, IntegersAreNoWeights) {
  Weights weights = golden_weights(tiny_config());
  Safetensors content;
  content.metadata["snapcube"] = to_json(weights.config).dump();
  for (const auto& [name, tensor] : weights.tensors) {
    content.tensors.push_back({name, TensorType::i32, tensor.shape, std::as_bytes(std::span(tensor.values))});
  }
  const std::vector<std::byte> file = safetensors_file(content);
  expect_contains(error_of<InputError>([&] { parse_weights(file, "w", kPlenty); }),
                  "expected F64, F32, F16 or BF16, found I32");
}

TEST(Weights, MissingHashVectorsAreDrawn) {
  const std::string attention = "encoder_layers.0.0.blocks.0.attn.fn.";
  Weights weights = golden_weights(tiny_config());
  const FloatBuffer kept = weights.tensors.at("bottleneck.blocks.0.attn.fn.hash_alpha").values;
  weights.tensors.erase(attention + "hash_alpha");
  weights.tensors.erase(attention + "hash_beta");
  draw_hash_vectors(weights, 7);
  EXPECT_NO_THROW(check_weights(weights, "w"));
  EXPECT_EQ(weights.tensors.at("bottleneck.blocks.0.attn.fn.hash_alpha").values, kept);
  // From the definition of the generator, computed in Python.
  const FloatBuffer& alpha = weights.tensors.at(attention + "hash_alpha").values;
  const FloatBuffer& beta = weights.tensors.at(attention + "hash_beta").values;
  const double expected_alpha[] = {-3.16685946, 1.151767064, -1.072771512};
  const double expected_beta[] = {0.257076447, 0.022222175};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(alpha[i], expected_alpha[i], 2e-7);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(beta[i], expected_beta[i], 1e-7);
}

TEST(Weights, HashVectorsHaveTheirDistributions) {
  ModelConfig config = tiny_config();
  config.blocks = {8, 8, 8};
  config.rounds = 64;
  Weights weights{config, {}};
  draw_hash_vectors(weights, 1);
  Weights other{config, {}};
  draw_hash_vectors(other, 2);
  double alpha_sum = 0, alpha_squares = 0, beta_sum = 0;
  double alphas = 0, betas = 0;
  std::set<float> firsts;
  for (const auto& [name, tensor] : weights.tensors) {
    firsts.insert(tensor.values[0]);
    EXPECT_NE(tensor.values, other.tensors.at(name).values);
    for (const float v : tensor.values) {
      if (name.ends_with("alpha")) {
        alpha_sum += v, alpha_squares += v * v, ++alphas;
      } else {
        EXPECT_TRUE(v >= 0 && v <= 1);
        beta_sum += v, ++betas;
      }
    }
  }
  EXPECT_EQ(firsts.size(), weights.tensors.size());  // every tensor has its own stream
  // Four standard deviations of the means.
  EXPECT_NEAR(alpha_sum / alphas, 0, 4 / std::sqrt(alphas));
  EXPECT_NEAR(alpha_squares / alphas, 1, 4 * std::sqrt(2 / alphas));
  EXPECT_NEAR(beta_sum / betas, 0.5, 4 / std::sqrt(12 * betas));
}

}  // namespace
}  // namespace snapcube
