#pragma once
// What the exporters of networks have in common: sizes as tensors, reflection, weights by their names.

#include <cmath>
#include <string>
#include <vector>

#include "models/onnx_graph.h"
#include "models/weights.h"

namespace snapcube {

class OnnxNetwork {
 protected:
  using Value = OnnxValue;
  using Ints = std::vector<std::int64_t>;

  explicit OnnxNetwork(const Weights& weights) : weights_(weights), c_(weights.config) {}

  // Sizes, as tensors of one integer.

  Value size(const Value& x, std::int64_t axis) {
    return g_.node("Gather", {g_.node("Shape", {x}), g_.integers({axis})}, {{"axis", 0}});
  }
  Value joined(const std::vector<Value>& values, std::int64_t axis = 0) {
    return g_.node("Concat", values, {{"axis", axis}});
  }
  Value scalar(const Value& size) { return g_.node("Squeeze", {size, g_.integers({0})}); }
  /// 0 … size − 1.
  Value range(const Value& size) { return g_.node("Range", {g_.integer(0), scalar(size), g_.integer(1)}); }

  Value slice(const Value& x, std::int64_t axis, std::int64_t from, std::int64_t to) {
    return g_.node("Slice", {x, g_.integers({from}), g_.integers({to}), g_.integers({axis})});
  }
  Value reshape(const Value& x, const Ints& shape) { return g_.node("Reshape", {x, g_.integers(shape)}); }
  Value transpose(const Value& x, const Ints& axes) { return g_.node("Transpose", {x}, {{"perm", axes}}); }
  Value unsqueeze(const Value& x, const Ints& axes) { return g_.node("Unsqueeze", {x, g_.integers(axes)}); }
  Value cast(const Value& x, std::int64_t type) { return g_.node("Cast", {x}, {{"to", type}}); }

  Value add(const Value& a, const Value& b) { return g_.node("Add", {a, b}); }
  Value subtract(const Value& a, const Value& b) { return g_.node("Sub", {a, b}); }
  Value multiply(const Value& a, const Value& b) { return g_.node("Mul", {a, b}); }
  Value divide(const Value& a, const Value& b) { return g_.node("Div", {a, b}); }

  /// The place of each of `places` in n, going back and forth, the edge not repeated: min(i mod p, p − i mod p),
  /// p = 2·(n − 1), or 1 for a single pixel.
  Value reflected(const Value& places, const Value& n) {
    const Value edge = subtract(n, g_.integers({1}));
    const Value period = g_.node("Max", {multiply(edge, g_.integers({2})), g_.integers({1})});
    const Value at = g_.node("Mod", {places, period});
    return g_.node("Min", {at, subtract(period, at)});
  }

  const NamedTensor& tensor(const std::string& name) const { return weights_.tensors.at(name); }
  Value weight(const std::string& name) { return g_.weights(name, tensor(name).shape, tensor(name).values); }

  /// x·(1 + erf(x/√2))/2
  Value gelu(const Value& x) {
    const Value erf = g_.node("Erf", {multiply(x, g_.real(std::sqrt(0.5f)))});
    return multiply(multiply(x, g_.real(0.5f)), add(erf, g_.real(1.0f)));
  }

  const Weights& weights_;
  const ModelConfig& c_;
  OnnxGraph g_;
};

}  // namespace snapcube
