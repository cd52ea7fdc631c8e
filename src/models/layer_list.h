#pragma once
// The layers of a network, described once: from one list come the tensors of a weights file and the cost of a frame.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapcube {

struct ParameterShape {
  std::string name;
  std::vector<std::int64_t> shape;

  bool operator==(const ParameterShape&) const = default;
};

struct LayerCost {
  std::string name;
  std::int64_t parameters = 0;
  /// Convolutions, linear layers and matrix products, as they are.
  double multiply_adds = 0;
  /// As the paper's counter saw them: normalisations and a broadcast added, all taps of a transposed convolution
  /// counted at every output pixel, and its outputs twice.
  double counted_by_paper = 0;
};

LayerCost total(const std::vector<LayerCost>& layers);

struct NetworkTensor {
  enum class Kind {
    trained,
    statistic,  ///< a running mean or variance of batch normalisation
    hash,       ///< drawn once, not trained
    constant,   ///< in published files, but never changed; not in ours
  };
  ParameterShape shape;
  Kind kind = Kind::trained;
  std::vector<float> values = {};  ///< of a constant
};

/// How many batches a batch normalisation has seen: integers in the files that torch writes, and of no use here.
inline bool is_batch_counter(std::string_view name) { return name.ends_with(".num_batches_tracked"); }

/// height × width, of a kernel or of a map.
struct Extent {
  int height;
  int width;
  double pixels() const { return static_cast<double>(height) * width; }
};

class LayerList {
 public:
  enum class Bias { no, yes };

  /// A convolution with `inputs` channels in each group, onto a map of `output` pixels.
  void convolution(const std::string& name, int inputs, int outputs, Extent kernel, Extent output, Bias bias);
  void convolution(const std::string& name, int inputs, int outputs, int kernel, Extent output, Bias bias) {
    convolution(name, inputs, outputs, {kernel, kernel}, output, bias);
  }
  /// Kernel = stride, with a bias: every output pixel sees one tap.
  void deconvolution(const std::string& name, int inputs, int outputs, int kernel, Extent output);
  void linear(const std::string& name, int inputs, int outputs, double tokens, Bias bias);
  void layer_norm(const std::string& name, int channels, double tokens);
  void batch_norm(const std::string& name, int channels, Extent map);
  void parameter(const std::string& name, std::vector<std::int64_t> shape);
  void constant(const std::string& name, std::vector<std::int64_t> shape, std::vector<float> values);
  /// Multiply-adds of a matrix product.
  void product(const std::string& name, double multiply_adds);
  /// What was described before works once more, with the same weights.
  void again(const std::string& name, double multiply_adds) { product(name, multiply_adds); }

  const std::vector<NetworkTensor>& tensors() const { return tensors_; }
  const std::vector<LayerCost>& layers() const { return layers_; }

 private:
  LayerCost& layer(const std::string& name);
  void norm(const std::string& name, int channels, double elements);
  void trained(LayerCost& layer, std::string name, std::vector<std::int64_t> shape);

  std::vector<NetworkTensor> tensors_;
  std::vector<LayerCost> layers_;
};

}  // namespace snapcube
