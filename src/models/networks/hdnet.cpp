// HDNet, high-resolution dual-domain learning (CVPR 2022).

#include <fmt/format.h>

#include "models/networks.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe(LayerList& list, const ModelConfig& config, Extent frame) {
  constexpr int kWide = 64;
  constexpr int kHalf = kWide / 2;
  constexpr int kGroup = kWide / 4;
  const double pixels = frame.pixels();
  const auto residual = [&](int i) {
    for (const int part : {0, 2}) {
      list.convolution(fmt::format("body.{}.body.{}", i, part), kWide, kWide, 3, frame, Bias::yes);
    }
  };
  list.convolution("head.0", config.bands, kWide, 3, frame, Bias::yes);
  for (int i = 0; i < 16; ++i) residual(i);
  list.convolution("body.16.conv_q_right", kWide, 1, 1, frame, Bias::no);
  list.convolution("body.16.conv_v_right", kWide, kHalf, 1, frame, Bias::no);
  list.product("body.16.conv_v_right", kHalf * pixels);
  list.convolution("body.16.conv_up", kHalf, kWide, 1, {1, 1}, Bias::no);
  list.convolution("body.16.conv_q_left", kWide, kHalf, 1, frame, Bias::no);
  list.convolution("body.16.conv_v_left", kWide, kHalf, 1, frame, Bias::no);
  list.product("body.16.conv_v_left", kHalf * pixels);
  for (int g = 0; g < 4; ++g) {
    const std::string name = fmt::format("body.17.subspaces.{}", g);
    list.convolution(name + ".conv_dws", 1, kGroup, 1, frame, Bias::yes);
    list.batch_norm(name + ".bn_dws", kGroup, frame);
    list.convolution(name + ".conv_point", kGroup, 1, 1, frame, Bias::yes);
    list.batch_norm(name + ".bn_point", 1, frame);
  }
  for (int i = 18; i < 33; ++i) residual(i);
  list.convolution("body.33", kWide, kWide, 3, frame, Bias::yes);
  list.convolution("tail.0", kWide, config.bands, 3, frame, Bias::yes);
}

NetworkInfo info() {
  NetworkInfo network;
  network.name = "hdnet";
  network.title = "HDNet";
  network.description = "residual network with attention over pixels and channels, trained in two domains";
  network.input = InputForm::shifted;
  network.schedule.loss = "root of the mean square, and the spectra of 4×4 patches weighted by their own error";
  network.bands_at = {"head.0.weight", 1};
  network.describe = describe;
  return network;
}

const AnnounceNetwork kAnnounced(info());

}  // namespace

}  // namespace snapcube
