#pragma once
// What this library cannot run by itself: networks that only libtorch computes. A program that has libtorch lends it.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <snapcube/error.h>

#include "methods/method.h"
#include "models/weights.h"

namespace snapcube {

/// A model or a method that needs a program with libtorch.
class NeedsLibtorch : public InputError {
 public:
  /// `what`: "mine.safetensors", `title`: "HDNet".
  NeedsLibtorch(const std::string& what, const std::string& title);
  const std::string& title() const { return title_; }

 private:
  std::string title_;
};

struct TorchBridge {
  std::function<std::unique_ptr<Reconstructor::Method>(Weights weights)> open_model;
  /// A method that needs no weights; null for a name it does not know.
  std::function<std::unique_ptr<Reconstructor::Method>(std::string_view name)> open_method;
};
void set_torch_bridge(TorchBridge runner);

/// Throws NeedsLibtorch when nobody has lent anything.
std::unique_ptr<Reconstructor::Method> open_model_with_torch(Weights weights, const std::string& source);
/// Null when the name is none of the self-supervised networks.
std::unique_ptr<Reconstructor::Method> open_method_with_torch(std::string_view name);

}  // namespace snapcube
