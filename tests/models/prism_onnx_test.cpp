#include "models/prism_onnx.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include <snapcube/error.h>

#include "engine/random_weights.h"
#include "models/networks.h"
#include "models/onnx.h"
#include "models/onnx_message.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

Weights random_prism(const std::string& name, int bands) {
  ModelConfig config = network_config(name);
  config.bands = bands;
  config.wavelengths.clear();
  return engine::random_weights(config, 1);
}

std::set<std::string_view> names(const std::vector<std::string_view>& messages) {
  std::set<std::string_view> result;
  for (const std::string_view bytes : messages) result.insert(Message(bytes).text(1));
  return result;
}

TEST(PrismOnnx, IsAWellFormedGraphWithTheCameraAmongItsInputs) {
  for (const auto& [name, stages] : {std::pair("prism-s", 4), std::pair("prism-m", 8)}) {
    SCOPED_TRACE(name);
    const Weights weights = random_prism(name, 3);
    const std::string file = prism_onnx(weights, "w");
    const Message model(file);
    EXPECT_EQ(Message(model.text(8)).integer(2), 17);
    EXPECT_EQ(Message(model.text(14)).text(2), to_json(weights.config).dump());
    const Message graph(model.text(7));
    std::set<std::string_view> known = names(graph.texts(11));
    EXPECT_EQ(known, (std::set<std::string_view>{"measurement", "masks", "positions", "weights"}));
    EXPECT_EQ(names(graph.texts(12)), (std::set<std::string_view>{"cube", "expected_error"}));
    std::set<std::string> stored;
    for (const std::string_view bytes : graph.texts(5)) {
      const Message tensor(bytes);
      EXPECT_TRUE(known.insert(tensor.text(8)).second) << tensor.text(8);
      const auto found = weights.tensors.find(std::string(tensor.text(8)));
      if (found == weights.tensors.end()) continue;
      stored.insert(found->first);
      EXPECT_EQ(tensor.integers(1), found->second.shape) << found->first;
      EXPECT_EQ(tensor.text(9).size(), found->second.values.size() * sizeof(float)) << found->first;
    }
    EXPECT_EQ(stored.size(), weights.tensors.size()) << "every tensor of the network, once";
    const auto operations = check_nodes(graph, known);
    EXPECT_EQ(operations.count("Loop"), static_cast<std::size_t>(stages)) << "a solution a stage";
    EXPECT_EQ(prism_onnx(weights, "w"), file);
  }
}

/// Inside, columns are rows: so are the kernels'.
TEST(PrismOnnx, KernelsAreTurned) {
  const Weights weights = random_prism("prism-s", 2);
  const std::string file = prism_onnx(weights, "w");
  const std::string name = "stages.1.halve.0.weight";
  const FloatBuffer& stored = weights.tensors.at(name).values;
  int found = 0;
  for (const std::string_view bytes : Message(Message(file).text(7)).texts(5)) {
    const Message tensor(bytes);
    if (tensor.text(8) != name) continue;
    ++found;
    std::vector<float> values(stored.size());
    std::memcpy(values.data(), tensor.text(9).data(), tensor.text(9).size());
    for (std::size_t k = 0; k < values.size(); k += 16) {
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) ASSERT_EQ(values[k + 4 * i + j], stored[k + 4 * j + i]);
      }
    }
  }
  EXPECT_EQ(found, 1);
}

TEST(PrismOnnx, TheNetworkTellsWhichExportItIs) {
  const Weights prism = random_prism("prism-s", 2);
  EXPECT_EQ(to_onnx(prism, "w"), prism_onnx(prism, "w"));
  ModelConfig config = network_config("mst-s");
  const Weights mst = engine::random_weights(config, 1);
  expect_contains(error_of<InputError>([&] { to_onnx(mst, "w"); }), "variant: expected a CST or Prism");
  Weights incomplete = prism;
  incomplete.tensors.erase("stages.2.eta");
  EXPECT_THROW(to_onnx(incomplete, "w"), InputError);
}

}  // namespace
}  // namespace snapcube
