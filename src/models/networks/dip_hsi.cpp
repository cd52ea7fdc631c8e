// DIP-HSI (PnP-DIP, ICCV 2021): a U-net without skips that is fitted to one measurement.

#include <fmt/format.h>

#include "models/networks.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe(LayerList& list, const ModelConfig& config, Extent frame) {
  const auto map = [&](int level) { return Extent{frame.height >> level, frame.width >> level}; };
  const auto pair = [&](const std::string& name, int inputs, int outputs, int level) {
    for (int i = 0; i < 2; ++i) {
      list.convolution(fmt::format("{}.{}", name, 3 * i), i == 0 ? inputs : outputs, outputs, 3, map(level), Bias::yes);
      list.batch_norm(fmt::format("{}.{}", name, 3 * i + 1), outputs, map(level));
    }
  };
  for (int level = 0; level < 5; ++level) {
    pair(fmt::format("down.{}", level), level == 0 ? config.bands : 32 << level, 64 << level, level);
  }
  for (int level = 3; level >= 0; --level) {
    const int deep = 128 << level;
    list.deconvolution(fmt::format("up.{}", level), deep, deep, 2, map(level));
    pair(fmt::format("join.{}", level), deep, deep / 2, level);
  }
  list.convolution("last", 64, config.bands, 1, frame, Bias::yes);
}

NetworkInfo info() {
  NetworkInfo network;
  network.name = "dip-hsi";
  network.title = "DIP-HSI";
  network.description = "a U-net fitted to the measurement itself; nothing is learned before";
  network.year = 2021;
  network.input = InputForm::detector_and_masks;
  network.self_supervised = true;
  network.bands_at = {"last.weight", 0};
  network.describe = describe;
  return network;
}

const AnnounceNetwork kAnnounced(info());

}  // namespace

}  // namespace snapcube
