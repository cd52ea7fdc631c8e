// DGSMP, deep Gaussian scale mixture prior (CVPR 2021).

#include <array>
#include <fmt/format.h>

#include "models/networks.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;
constexpr int kStages = 4;
constexpr int kTaps = 7;

/// Four stages share their weights: each layer's cost counts as often.
class Shared {
 public:
  explicit Shared(LayerList& list) : list_(list) {}
  void convolution(const std::string& name, int inputs, int outputs, int kernel, Extent map) {
    list_.convolution(name, inputs, outputs, kernel, map, Bias::yes);
    const double once = static_cast<double>(inputs) * outputs * kernel * kernel * map.pixels();
    list_.again(name, (kStages - 1) * once);
  }

 private:
  LayerList& list_;
};

void describe(LayerList& list, const ModelConfig& config, Extent frame) {
  const int c = config.bands;
  Shared shared(list);
  for (int i = 0; i < kStages; ++i) list.parameter(fmt::format("delta_{}", i), {1});
  for (const char* side : {"AT", "A"}) {
    shared.convolution(fmt::format("{}.0", side), c, 64, 3, frame);
    for (const int block : {2, 3}) {
      for (const int half : {1, 2}) {
        for (const int layer : {0, 2}) {
          shared.convolution(fmt::format("{}.{}.block{}.{}", side, block, half, layer), 64, 64, 3, frame);
        }
      }
    }
    shared.convolution(fmt::format("{}.4", side), 64, c, 3, frame);
  }
  const auto pair = [&](const std::string& name, int inputs, int outputs, int level) {
    const Extent map = {frame.height >> level, frame.width >> level};
    shared.convolution(name + ".0", inputs, outputs, 3, map);
    shared.convolution(name + ".2", outputs, outputs, 3, map);
  };
  pair("Encoding.E1", 32, 32, 0);
  pair("Encoding.E2", 32, 64, 1);
  pair("Encoding.E3", 64, 64, 2);
  pair("Encoding.E4", 64, 128, 3);
  pair("Encoding.E5", 128, 128, 4);
  pair("Decoding.D1", 256, 128, 3);
  pair("Decoding.D2", 192, 64, 2);
  pair("Decoding.D3", 128, 64, 1);
  pair("Decoding.D4", 96, 32, 0);
  const auto generator = [&](const std::string& name, int inputs, int middle, int outputs) {
    shared.convolution(name + ".0", inputs, middle, 3, frame);
    shared.convolution(name + ".2", middle, outputs, 3, frame);
    shared.convolution(name + ".4", outputs, outputs, 1, frame);
  };
  generator("Decoding.w_generator", 32, 32, c);
  for (int i = 1; i <= 3; ++i) generator(fmt::format("Decoding.filter_g_{}", i), 96, kTaps * c, kTaps * c);
  shared.convolution("conv", c, 32, 3, frame);
  for (int i = 1; i <= kStages; ++i) {
    list.convolution(fmt::format("Den_con{}", i), 32 * i, 32, 1, frame, Bias::yes);
  }
}

NetworkInfo info() {
  NetworkInfo network;
  network.name = "dgsmp";
  network.title = "DGSMP";
  network.description = "four unrolled steps with a learned Gaussian scale mixture prior";
  network.year = 2021;
  network.input = InputForm::detector;
  network.schedule.batch = 2;
  network.bands_at = {"AT.0.weight", 1};
  network.describe = describe;
  return network;
}

const AnnounceNetwork kAnnounced(info());

}  // namespace

}  // namespace snapcube
