// λ-net (ICCV 2019), in the published small form of one stage.

#include <fmt/format.h>

#include "models/networks.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe(LayerList& list, const ModelConfig& config, Extent frame) {
  constexpr int kUnit = 32;
  const int c = config.bands;
  const Extent detector = {frame.height, frame.width + (c - 1) * config.step};
  const auto up_to_unit = [](int n) { return (n + kUnit - 1) / kUnit * kUnit; };
  const Extent padded = {up_to_unit(detector.height), up_to_unit(detector.width)};
  const auto map = [&](int level) { return Extent{padded.height >> level, padded.width >> level}; };
  const auto group = [&](const std::string& name, int inputs, int outputs, int level) {
    const bool deep = level >= 4;  // two convolutions in place of three
    const char* kind = deep ? "d_conv" : "t_conv";
    for (int i = 0; i < (deep ? 2 : 3); ++i) {
      list.convolution(fmt::format("{}.{}.{}", name, kind, 2 * i), i == 0 ? inputs : outputs, outputs, 3, map(level),
                       Bias::yes);
    }
  };
  list.convolution("conv_in", c + 1, c, 3, detector, Bias::yes);
  for (int level = 0; level < 6; ++level) {
    group(fmt::format("conv_down{}", level + 1), level == 0 ? c : 16 << level, 32 << level, level);
  }
  for (int level = 4; level >= 0; --level) {
    const int wide = 32 << level;
    list.deconvolution(fmt::format("upsample{}", level + 1), 2 * wide, wide, 2, map(level));
    group(fmt::format("conv_up{}", level + 1), 2 * wide, wide, level);
  }
  const double tokens = map(2).pixels();
  list.parameter("attention.gamma", {1});
  list.linear("attention.to_q", 128, 16, tokens, Bias::no);
  list.linear("attention.to_k", 128, 16, tokens, Bias::no);
  list.linear("attention.to_v", 128, 128, tokens, Bias::no);
  list.product("attention", tokens * tokens * (16 + 128));
  list.convolution("conv_last1", 32, 6, 3, padded, Bias::yes);
  list.convolution("conv_last2", 38, 32, 3, padded, Bias::yes);
  list.convolution("conv_last3", 32, 12, 3, padded, Bias::yes);
  list.convolution("conv_last4", 44, 32, 3, padded, Bias::yes);
  list.convolution("conv_last5", 32, c, 1, padded, Bias::yes);
}

NetworkInfo info() {
  NetworkInfo network;
  network.name = "lambda-net";
  network.title = "λ-net";
  network.description = "U-net with self-attention, in the published small form";
  network.year = 2019;
  network.input = InputForm::detector_and_masks;
  network.bands_at = {"conv_in.weight", 0};
  network.describe = describe;
  return network;
}

const AnnounceNetwork kAnnounced(info());

}  // namespace

}  // namespace snapcube
