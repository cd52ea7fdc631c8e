#include "nets/network.h"

#include <map>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "models/networks.h"
#include "nets/cst.h"

namespace snapcube::nets {

namespace {

using Maker = std::function<NetworkPtr(const ModelConfig&)>;

std::map<std::string, Maker>& makers() {
  static std::map<std::string, Maker> all;
  return all;
}

}  // namespace

AnnounceNet::AnnounceNet(const std::string& name, Maker make) { makers()[name] = std::move(make); }

NetworkPtr make_network(const ModelConfig& config) {
  const auto found = makers().find(config.variant);
  if (found != makers().end()) return found->second(config);
  return std::make_shared<CstImpl>(config);
}

Network::Network(ModelConfig config) : config_(std::move(config)) { check(config_); }

Network::Output Network::forward_capture(const Capture& /*capture*/) {
  throw InputError(config_.variant, "camera", "the one that the network was made for", "another one");
}

Network::Output Network::reconstruct(const torch::Tensor& measurement, const torch::Tensor& mask) {
  const auto height = measurement.size(2);
  const auto width = measurement.size(3);
  const FrameSize size = usable_size(config_, static_cast<int>(height), static_cast<int>(width));
  if (size.height == height && size.width == width) return forward(measurement, mask);
  if (size.height < height || size.width < width) {
    throw InputError(config_.variant, "frame", "at most " + shape_text(size.height, size.width),
                     shape_text(static_cast<int>(height), static_cast<int>(width)));
  }
  Output output = forward(reflect_to(reflect_to(measurement, 2, size.height), 3, size.width),
                          reflect_to(reflect_to(mask, 1, size.height), 2, size.width));
  output.cube = output.cube.slice(2, 0, height).slice(3, 0, width);
  if (output.error_map.defined()) output.error_map = output.error_map.slice(1, 0, height).slice(2, 0, width);
  return output;
}

torch::Tensor Network::loss(const Output& output, const torch::Tensor& truth, bool l1) const {
  return l1 ? torch::l1_loss(output.cube, truth) : torch::mse_loss(output.cube, truth).sqrt();
}

Network::Output joined(const std::vector<Network::Output>& outputs) {
  if (outputs.size() == 1) return outputs.front();
  const auto all = [&](const auto& part) {
    std::vector<torch::Tensor> tensors;
    for (const Network::Output& o : outputs) tensors.push_back(part(o));
    return tensors.front().defined() ? torch::cat(tensors) : torch::Tensor();
  };
  Network::Output result;
  result.cube = all([](const Network::Output& o) { return o.cube; });
  result.error_map = all([](const Network::Output& o) { return o.error_map; });
  for (std::size_t i = 0; i < outputs.front().earlier.size(); ++i) {
    result.earlier.push_back(all([i](const Network::Output& o) { return o.earlier[i]; }));
  }
  return result;
}

torch::Tensor reflect_to(const torch::Tensor& x, std::int64_t axis, std::int64_t size) {
  const auto n = x.size(axis);
  if (n == size) return x;
  if (n == 1)
    return x.expand([&] {
      auto shape = x.sizes().vec();
      shape[static_cast<std::size_t>(axis)] = size;
      return shape;
    }());
  const auto period = 2 * (n - 1);
  const auto at = torch::arange(size, torch::kLong).remainder(period);
  const auto index = torch::where(at < n, at, period - at);
  return x.index_select(axis, index.to(x.device()));
}

}  // namespace snapcube::nets
