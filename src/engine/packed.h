#pragma once
// Weights in the order in which the kernels read them.

#include <string>

#include <snapcube/array.h>

#include "kernels/row_product.h"
#include "models/weights.h"

namespace snapcube::engine {

/// A matrix or a convolution for kernels::row_product.
struct Packed {
  FloatBuffer values;
  int outputs = 0;
  int depth = 0;
  int taps = 1;

  /// The kernel's arguments, but for the pixels.
  kernels::RowProduct product() const {
    kernels::RowProduct p;
    p.weights = values.data();
    p.outputs = outputs;
    p.depth = depth;
    p.tap_count = taps;
    return p;
  }
};

/// weights [outputs][depth][taps].
Packed pack(const float* weights, int outputs, int depth, int taps = 1);
/// A convolution's tensor [outputs][depth][kernel][kernel], or a linear layer's [outputs][depth].
Packed pack(const NamedTensor& tensor);

/// The tensors below a name: `all("fe.")("in_proj.weight")`.
class TensorsOf {
 public:
  explicit TensorsOf(const Weights& weights, std::string prefix = "") : weights_(weights), prefix_(std::move(prefix)) {}
  const NamedTensor& operator()(const std::string& name) const { return weights_.tensors.at(prefix_ + name); }
  TensorsOf below(const std::string& name) const { return TensorsOf(weights_, prefix_ + name); }

 private:
  const Weights& weights_;
  std::string prefix_;
};

}  // namespace snapcube::engine
