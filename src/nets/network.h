#pragma once
// What every network is to the trainer: the same input, the same output, a loss of its own.

#include <functional>
#include <memory>
#include <string>
#include <torch/torch.h>

#include "models/model_config.h"
#include "nets/data_step.h"

namespace snapcube::nets {

class Network : public torch::nn::Module {
 public:
  explicit Network(ModelConfig config);

  struct Output {
    torch::Tensor cube;                       ///< X', [batch, bands, H, W]
    torch::Tensor error_map;                  ///< M_s, [batch, H, W]; undefined where a network has none
    std::vector<torch::Tensor> earlier = {};  ///< cubes of the stages before the last, where the loss looks at them
  };
  /// measurement: scaled and shifted back, [batch, bands, H, W]; mask: [batch, H, W]. What else a network takes follows
  /// from these (nets/detector.h). Sizes must be usable (usable_size); reconstruct() takes any.
  virtual Output forward(const torch::Tensor& measurement, const torch::Tensor& mask) = 0;
  /// The same for any size: reflected at the bottom and at the right to a usable one, and cropped back.
  Output reconstruct(const torch::Tensor& measurement, const torch::Tensor& mask);

  /// For networks that know any camera, not only the one of their configuration (takes_captures): a batch of one.
  virtual Output forward_capture(const Capture& capture);
  virtual bool takes_captures() const { return false; }

  /// The root of the mean square error, or with `l1` the mean absolute one; networks add their own terms.
  virtual torch::Tensor loss(const Output& output, const torch::Tensor& truth, bool l1) const;

  /// On the project's kernels, where there are some for the device and the configuration; the same function, to
  /// rounding.
  virtual void use_kernels(bool /*on*/) {}
  const ModelConfig& config() const { return config_; }

 private:
  ModelConfig config_;
};
using NetworkPtr = std::shared_ptr<Network>;

/// One batch of several.
Network::Output joined(const std::vector<Network::Output>& outputs);

/// A fresh network of config.variant, drawn from libtorch's generator. Throws InputError for a name that is not known.
NetworkPtr make_network(const ModelConfig& config);

/// The file of a network makes one of these for each name; names that nobody announces are CST's.
struct AnnounceNet {
  AnnounceNet(const std::string& name, std::function<NetworkPtr(const ModelConfig&)> make);
};

/// Repeats an axis by reflection, the edge not repeated, again and again, until it has `size` entries.
torch::Tensor reflect_to(const torch::Tensor& x, std::int64_t axis, std::int64_t size);

}  // namespace snapcube::nets
