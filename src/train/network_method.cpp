#include "train/network_method.h"

#include <algorithm>

#include "methods/network_method.h"
#include "nets/network_weights.h"

namespace snapcube {

Cube run_network(nets::Network& network, Cube input, const Image& mask, const torch::Device& device) {
  const torch::NoGradGuard no_gradient;
  const auto x = torch::from_blob(input.data(), {1, input.bands(), input.height(), input.width()}).to(device);
  const auto m = torch::from_blob(const_cast<float*>(mask.data()), {1, mask.height(), mask.width()}).to(device);
  network.eval();
  const auto output = network.reconstruct(x, m).cube.cpu().contiguous();
  std::copy_n(output.data_ptr<float>(), input.size(), input.data());
  return input;
}

namespace {

class TorchNetworkMethod final : public NetworkMethod {
 public:
  explicit TorchNetworkMethod(const Weights& weights)
      : NetworkMethod(weights.config), network_(nets::network_of(weights)) {}

 private:
  std::string memory_text() const override { return "of no effect: libtorch takes what it needs"; }

  void run(const engine::Frame& frame, const FrameSize& /*usable*/, std::size_t /*most*/,
           const std::function<void(double)>& report, const CubeView& out) override {
    if (report) report(0);
    Cube input(frame.bands(), frame.height(), frame.width());
    const std::size_t pitch = static_cast<std::size_t>(frame.height()) * static_cast<std::size_t>(frame.width());
    for (int y = 0; y < frame.height(); ++y) frame.read_row(y, 0, frame.width(), input.row(0, y), pitch);
    copy(run_network(*network_, std::move(input), frame.camera().mask(), torch::kCPU), out);
  }

  nets::NetworkPtr network_;
};

}  // namespace

std::unique_ptr<Reconstructor::Method> network_method(const Weights& weights) {
  return std::make_unique<TorchNetworkMethod>(weights);
}

}  // namespace snapcube
