#include "models/onnx_graph.h"

#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <utility>

#include <snapcube/error.h>

namespace snapcube {

namespace {

// Field numbers of onnx.proto.
namespace model_field {
constexpr int ir_version = 1, producer = 2, doc = 6, graph = 7, opset = 8, metadata = 14;
}
namespace graph_field {
constexpr int node = 1, name = 2, initializer = 5, input = 11, output = 12;
}
namespace node_field {
constexpr int input = 1, output = 2, name = 3, op = 4, attribute = 5;
}
namespace attribute_field {
constexpr int name = 1, real = 2, integer = 3, graph = 6, integers = 8, type = 20;
}
namespace tensor_field {
constexpr int size = 1, type = 2, name = 8, bytes = 9;
}

using onnx_type::kBool;
using onnx_type::kDouble;
using onnx_type::kFloat;
using onnx_type::kInt64;

ProtoMessage value_info(const std::string& name, std::int64_t type, const std::vector<OnnxGraph::Size>& shape) {
  ProtoMessage sizes;
  for (const auto& size : shape) {
    ProtoMessage dimension;
    if (const auto* number = std::get_if<std::int64_t>(&size)) dimension.integer(1, *number);
    if (const auto* word = std::get_if<std::string>(&size)) dimension.bytes(2, *word);
    sizes.message(1, dimension);
  }
  return ProtoMessage().bytes(1, name).message(
      2, ProtoMessage().message(1, ProtoMessage().integer(1, type).message(2, sizes)));
}

ProtoMessage attribute(const std::string& name, const OnnxAttribute& value) {
  ProtoMessage message;
  message.bytes(attribute_field::name, name);
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    message.integer(attribute_field::integer, *number).integer(attribute_field::type, 2);
  } else if (const auto* real = std::get_if<float>(&value)) {
    message.real(attribute_field::real, *real).integer(attribute_field::type, 1);
  } else {
    for (const std::int64_t v : std::get<std::vector<std::int64_t>>(value)) {
      message.integer(attribute_field::integers, v);
    }
    message.integer(attribute_field::type, 7);
  }
  return message;
}

ProtoMessage tensor(const std::string& name, std::int64_t type, const std::vector<std::int64_t>& shape,
                    std::string_view bytes) {
  static_assert(std::endian::native == std::endian::little, "ONNX stores little-endian numbers");
  ProtoMessage message;
  for (const std::int64_t size : shape) message.integer(tensor_field::size, size);
  return message.integer(tensor_field::type, type).bytes(tensor_field::name, name).bytes(tensor_field::bytes, bytes);
}

template <typename T>
std::string_view bytes_of(const T* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(T)};
}

}  // namespace

void ProtoMessage::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void ProtoMessage::key(int field, int wire_type) { varint(static_cast<std::uint64_t>(field << 3 | wire_type)); }

ProtoMessage& ProtoMessage::integer(int field, std::int64_t value) {
  key(field, 0);
  varint(static_cast<std::uint64_t>(value));
  return *this;
}

ProtoMessage& ProtoMessage::real(int field, float value) {
  key(field, 5);
  bytes_ += bytes_of(&value, 1);
  return *this;
}

ProtoMessage& ProtoMessage::append(const ProtoMessage& fields) {
  bytes_ += fields.bytes_;
  return *this;
}

ProtoMessage& ProtoMessage::bytes(int field, std::string_view value) {
  key(field, 2);
  varint(value.size());
  bytes_ += value;
  return *this;
}

OnnxValue OnnxGraph::input(const std::string& name, const std::vector<Size>& shape) {
  graph_.message(graph_field::input, value_info(name, kFloat, shape));
  return name;
}

void OnnxGraph::output(const OnnxValue& value, const std::string& name, const std::vector<Size>& shape) {
  ProtoMessage message;
  message.bytes(node_field::input, value).bytes(node_field::output, name).bytes(node_field::op, "Identity");
  nodes_.message(graph_field::node, message);
  graph_.message(graph_field::output, value_info(name, kFloat, shape));
}

std::vector<OnnxValue> OnnxGraph::nodes(const std::string& op, const std::vector<OnnxValue>& inputs,
                                        const OnnxAttributes& attributes, int outputs) {
  ProtoMessage message;
  for (const OnnxValue& value : inputs) message.bytes(node_field::input, value);
  const std::string name = fmt::format("{}_{}", op, ++count_);
  std::vector<OnnxValue> values;
  for (int i = 0; i < outputs; ++i) {
    values.push_back(outputs == 1 ? name : fmt::format("{}_{}", name, i));
    message.bytes(node_field::output, values.back());
  }
  message.bytes(node_field::name, name).bytes(node_field::op, op);
  for (const auto& [key, value] : attributes) message.message(node_field::attribute, attribute(key, value));
  nodes_.message(graph_field::node, message);
  return values;
}

OnnxValue OnnxGraph::node(const std::string& op, const std::vector<OnnxValue>& inputs,
                          const OnnxAttributes& attributes) {
  return nodes(op, inputs, attributes, 1)[0];
}

std::vector<OnnxValue> OnnxGraph::loop(const OnnxValue& condition, const std::vector<State>& states,
                                       const std::function<Round(const std::vector<OnnxValue>&)>& round) {
  const std::string name = fmt::format("Loop_{}", ++count_);
  ProtoMessage outside = std::exchange(nodes_, {});
  ProtoMessage head;  // a round is a graph: its number, the condition and the states in; condition and states out
  head.message(graph_field::input, value_info(name + "_round", kInt64, {}));
  head.message(graph_field::input, value_info(name + "_condition", kBool, {}));
  std::vector<OnnxValue> inside;
  for (std::size_t i = 0; i < states.size(); ++i) {
    inside.push_back(fmt::format("{}_state_{}", name, i));
    head.message(graph_field::input, value_info(inside.back(), states[i].type, states[i].shape));
  }
  const Round result = round(inside);
  head.message(graph_field::output, value_info(result.again, kBool, {}));
  for (std::size_t i = 0; i < states.size(); ++i) {
    head.message(graph_field::output, value_info(result.states[i], states[i].type, states[i].shape));
  }
  ProtoMessage body = std::exchange(nodes_, std::move(outside));
  body.append(head).bytes(graph_field::name, name + "_body");

  ProtoMessage message;
  message.bytes(node_field::input, "").bytes(node_field::input, condition);  // no limit to the rounds
  for (const State& state : states) message.bytes(node_field::input, state.start);
  std::vector<OnnxValue> values;
  for (std::size_t i = 0; i < states.size(); ++i) {
    values.push_back(fmt::format("{}_{}", name, i));
    message.bytes(node_field::output, values.back());
  }
  message.bytes(node_field::name, name).bytes(node_field::op, "Loop");
  ProtoMessage attribute;
  attribute.bytes(attribute_field::name, "body").message(attribute_field::graph, body);
  message.message(node_field::attribute, attribute.integer(attribute_field::type, 5));
  nodes_.message(graph_field::node, message);
  return values;
}

OnnxValue OnnxGraph::weights(const std::string& name, const std::vector<std::int64_t>& shape,
                             std::span<const float> values) {
  graph_.message(graph_field::initializer, tensor(name, kFloat, shape, bytes_of(values.data(), values.size())));
  return name;
}

OnnxValue OnnxGraph::constant(const std::string& key, std::int64_t type, const std::vector<std::int64_t>& shape,
                              std::string_view bytes) {
  const auto [place, fresh] = constants_.try_emplace(key, key);
  if (fresh) graph_.message(graph_field::initializer, tensor(key, type, shape, bytes));
  return place->second;
}

OnnxValue OnnxGraph::integers(const std::vector<std::int64_t>& values) {
  return constant(fmt::format("[{}]", fmt::join(values, ",")), kInt64, {static_cast<std::int64_t>(values.size())},
                  bytes_of(values.data(), values.size()));
}

OnnxValue OnnxGraph::integer(std::int64_t value) {
  return constant(fmt::format("{}", value), kInt64, {}, bytes_of(&value, 1));
}

OnnxValue OnnxGraph::real(float value) { return constant(fmt::format("{}f", value), kFloat, {}, bytes_of(&value, 1)); }

OnnxValue OnnxGraph::real64(double value) {
  return constant(fmt::format("{}d", value), kDouble, {}, bytes_of(&value, 1));
}

std::string OnnxGraph::model(const std::string& name, const std::string& description,
                             const std::map<std::string, std::string>& metadata) const {
  ProtoMessage graph = graph_;
  graph.append(nodes_).bytes(graph_field::name, name);
  ProtoMessage model;
  model.integer(model_field::ir_version, 8)
      .bytes(model_field::producer, "snapcube")
      .bytes(model_field::doc, description)
      .message(model_field::graph, graph)
      .message(model_field::opset, ProtoMessage().bytes(1, "").integer(2, 17));
  for (const auto& [key, value] : metadata) {
    model.message(model_field::metadata, ProtoMessage().bytes(1, key).bytes(2, value));
  }
  if (model.bytes().size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max())) {
    throw Error("the network is too large for ONNX: a file holds at most 2 GB");
  }
  return model.bytes();
}

}  // namespace snapcube
