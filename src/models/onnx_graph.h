#pragma once
// An ONNX model, built node by node and written as the protocol buffer that ONNX files are. Only what networks here
// need.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace snapcube {

/// A protocol buffer message as bytes.
class ProtoMessage {
 public:
  ProtoMessage& integer(int field, std::int64_t value);
  ProtoMessage& real(int field, float value);
  ProtoMessage& bytes(int field, std::string_view value);
  ProtoMessage& message(int field, const ProtoMessage& value) { return bytes(field, value.bytes_); }
  /// The fields of another message as fields of this one.
  ProtoMessage& append(const ProtoMessage& fields);
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  void key(int field, int wire_type);
  std::string bytes_;
};

/// A tensor in the graph, by its name.
using OnnxValue = std::string;
using OnnxAttribute = std::variant<std::int64_t, float, std::vector<std::int64_t>>;
using OnnxAttributes = std::vector<std::pair<std::string, OnnxAttribute>>;

/// Types of elements, as ONNX numbers them.
namespace onnx_type {
inline constexpr std::int64_t kFloat = 1, kInt64 = 7, kBool = 9, kDouble = 11;
}

class OnnxGraph {
 public:
  /// A 32-bit float input or output; a size is a number or, where it varies, a name.
  using Size = std::variant<std::int64_t, std::string>;
  OnnxValue input(const std::string& name, const std::vector<Size>& shape);
  void output(const OnnxValue& value, const std::string& name, const std::vector<Size>& shape);

  OnnxValue node(const std::string& op, const std::vector<OnnxValue>& inputs, const OnnxAttributes& attributes = {});
  /// A node with several outputs.
  std::vector<OnnxValue> nodes(const std::string& op, const std::vector<OnnxValue>& inputs,
                               const OnnxAttributes& attributes, int outputs);

  /// What a loop carries from one round to the next.
  struct State {
    OnnxValue start;
    std::int64_t type;
    std::vector<Size> shape;
  };
  struct Round {
    OnnxValue again;  ///< whether another round follows
    std::vector<OnnxValue> states;
  };
  /// While `condition` holds, a round; the states behind the last one. Values and constants from outside can be used
  /// inside. Rounds are not nested.
  std::vector<OnnxValue> loop(const OnnxValue& condition, const std::vector<State>& states,
                              const std::function<Round(const std::vector<OnnxValue>&)>& round);

  /// Weights; each name once.
  OnnxValue weights(const std::string& name, const std::vector<std::int64_t>& shape, std::span<const float> values);
  /// Constants, made once each: a vector of integers, and single numbers.
  OnnxValue integers(const std::vector<std::int64_t>& values);
  OnnxValue integer(std::int64_t value);
  OnnxValue real(float value);
  OnnxValue real64(double value);

  /// The file: IR version 8, opset 17. Throws Error above 2 GB, which no protocol buffer may have.
  std::string model(const std::string& name, const std::string& description,
                    const std::map<std::string, std::string>& metadata) const;

 private:
  OnnxValue constant(const std::string& key, std::int64_t type, const std::vector<std::int64_t>& shape,
                     std::string_view bytes);
  ProtoMessage graph_;
  ProtoMessage nodes_;  ///< of the graph, or of the loop that is being built
  std::map<std::string, OnnxValue> constants_;
  int count_ = 0;
};

}  // namespace snapcube
