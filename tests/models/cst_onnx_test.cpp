#include "models/cst_onnx.h"

#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string_view>

#include <snapcube/error.h>

#include "models/onnx_graph.h"
#include "models/onnx_message.h"
#include "support.h"

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

Weights weights_of(ModelConfig config) {
  config.bands = 2;
  config.wavelengths = {};
  Weights weights{config, {}};
  for (const auto& [name, shape] : cst_parameters(config)) {
    const auto count = std::reduce(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
    weights.tensors[name] = {name, shape, FloatBuffer(static_cast<std::size_t>(count), 0.5f)};
  }
  return weights;
}

TEST(Onnx, MessagesFollowTheWireFormat) {
  // The examples of the protocol buffers' own description: field 1 = 150, field 2 = "testing".
  EXPECT_EQ(ProtoMessage().integer(1, 150).bytes(), "\x08\x96\x01");
  EXPECT_EQ(ProtoMessage().bytes(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(ProtoMessage().integer(1, -1).bytes(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(ProtoMessage().real(3, 1.0f).bytes(), std::string("\x1d\0\0\x80\x3f", 5));
}

/// What Debian's checker asks for, too: opset 17, every value made before it is used and once, every weight there.
TEST(Onnx, EveryVariantIsAWellFormedGraph) {
  for (const std::string& variant : cst_variant_names()) {
    SCOPED_TRACE(variant);
    const Weights weights = weights_of(cst_variant(variant));
    const std::string file = cst_onnx(weights, "w");
    const Message model(file);
    EXPECT_EQ(model.integer(1), 8);
    EXPECT_EQ(Message(model.text(8)).integer(2), 17);
    EXPECT_EQ(Message(model.text(14)).text(2), to_json(weights.config).dump());
    const Message graph(model.text(7));
    std::set<std::string_view> known;
    std::size_t elements = 0;
    for (const std::string_view input : graph.texts(11)) known.insert(Message(input).text(1));
    EXPECT_EQ(known, (std::set<std::string_view>{"measurement", "mask"}));
    for (const std::string_view bytes : graph.texts(5)) {
      const Message tensor(bytes);
      EXPECT_TRUE(known.insert(tensor.text(8)).second) << tensor.text(8);
      const auto shape = tensor.integers(1);
      const auto count = std::reduce(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
      EXPECT_EQ(tensor.text(9).size(), static_cast<std::size_t>(count) * (tensor.integer(2) == 1 ? 4 : 8));
      if (weights.tensors.contains(std::string(tensor.text(8)))) elements += tensor.text(9).size() / 4;
    }
    std::size_t expected = 0;
    for (const auto& [name, tensor] : weights.tensors) {
      EXPECT_TRUE(known.contains(name)) << name;
      // Of α the row of the extension is a constant of its own, and the one that meets a zero is left out.
      expected += tensor.values.size() - (name.ends_with("hash_alpha") ? 2u * 2u : 0u);
    }
    EXPECT_EQ(elements, expected);
    check_nodes(graph, known);
    std::set<std::string_view> outputs;
    for (const std::string_view output : graph.texts(12)) outputs.insert(Message(output).text(1));
    EXPECT_TRUE(outputs.contains("cube"));
    EXPECT_EQ(outputs.contains("error_map"), variant != "cst-l-star");
    EXPECT_EQ(cst_onnx(weights, "w"), file);
  }
}

TEST(Onnx, WhatCannotBeExpressedIsRefused) {
  ModelConfig config = cst_variant("cst-s");
  config.scope = Scope::global;
  expect_contains(error_of<InputError>([&] { cst_onnx(weights_of(config), "w"); }), "scope: expected local");
  config.scope = Scope::local;
  config.screening = Screening::uniform;
  expect_contains(error_of<InputError>([&] { cst_onnx(weights_of(config), "w"); }), "screening: expected none or");
  Weights incomplete = weights_of(cst_variant("cst-s"));
  incomplete.tensors.erase("out_proj.weight");
  EXPECT_THROW(cst_onnx(incomplete, "w"), InputError);
}

}  // namespace
}  // namespace snapcube
