// MST, the mask-guided spectral-wise Transformer (CVPR 2022).

#include <array>
#include <fmt/format.h>

#include "models/mst_form.h"
#include "models/networks.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

/// `mask_width`: the shifted masks are wider than the feature, as the detector is wider than the frame.
void describe_block(LayerList& list, const std::string& name, int channels, int head, Extent map, int mask_width) {
  const std::string attention = name + ".0";
  const Extent mask = {map.height, mask_width};
  list.parameter(attention + ".rescale", {channels / head, 1, 1});
  for (const char* part : {".to_q", ".to_k", ".to_v"}) {
    list.linear(attention + part, channels, channels, map.pixels(), Bias::no);
  }
  list.product(attention, 2.0 * channels * head * map.pixels());  // kᵀq and A·v
  list.linear(attention + ".proj", channels, channels, map.pixels(), Bias::yes);
  list.convolution(attention + ".pos_emb.0", 1, channels, 3, map, Bias::no);
  list.convolution(attention + ".pos_emb.2", 1, channels, 3, map, Bias::no);
  list.convolution(attention + ".mm.conv1", channels, channels, 1, mask, Bias::yes);
  list.convolution(attention + ".mm.conv2", channels, channels, 1, mask, Bias::yes);
  list.convolution(attention + ".mm.depth_conv", 1, channels, 5, mask, Bias::yes);
  const std::string ffn = name + ".1";
  list.convolution(ffn + ".fn.net.0", channels, 4 * channels, 1, map, Bias::no);
  list.convolution(ffn + ".fn.net.2", 1, 4 * channels, 3, map, Bias::no);
  list.convolution(ffn + ".fn.net.4", 4 * channels, channels, 1, map, Bias::no);
  list.layer_norm(ffn + ".norm", channels, map.pixels());
}

void describe(LayerList& list, const ModelConfig& config, Extent frame, const std::array<int, 3>& blocks) {
  const int c = config.bands;
  const int detector = frame.width + (c - 1) * config.step;
  const auto map = [&](int stage) { return Extent{frame.height >> stage, frame.width >> stage}; };
  const auto group = [&](const std::string& name, int stage) {
    for (int i = 0; i < blocks[static_cast<std::size_t>(stage)]; ++i) {
      describe_block(list, fmt::format("{}.blocks.{}", name, i), c << stage, c, map(stage), detector >> stage);
    }
  };
  list.convolution("embedding", c, c, 3, frame, Bias::no);
  for (int i = 0; i < 2; ++i) {
    group(fmt::format("encoder_layers.{}.0", i), i);
    const int wide = c << i;
    list.convolution(fmt::format("encoder_layers.{}.1", i), wide, 2 * wide, 4, map(i + 1), Bias::no);
    list.convolution(fmt::format("encoder_layers.{}.2", i), wide, 2 * wide, 4,
                     {frame.height >> (i + 1), detector >> (i + 1)}, Bias::no);
  }
  group("bottleneck", 2);
  for (int i = 0; i < 2; ++i) {
    const int stage = 1 - i;
    const int wide = c << stage;
    list.deconvolution(fmt::format("decoder_layers.{}.0", i), 2 * wide, wide, 2, map(stage));
    list.convolution(fmt::format("decoder_layers.{}.1", i), 2 * wide, wide, 1, map(stage), Bias::no);
    group(fmt::format("decoder_layers.{}.2", i), stage);
  }
  list.convolution("mapping", c, c, 3, frame, Bias::no);
}

NetworkInfo info(const MstForm& form) {
  NetworkInfo network;
  network.name = form.name;
  network.title = form.title;
  network.description = "Transformer with attention between bands, guided by the mask";
  network.input = InputForm::shifted_and_masks;
  network.size_multiple = 4;
  network.in_engine = true;
  network.bands_at = {"embedding.weight", 0};
  network.describe = [blocks = form.blocks](LayerList& list, const ModelConfig& config, Extent frame) {
    describe(list, config, frame, blocks);
  };
  return network;
}

const std::array kAnnounced = {AnnounceNetwork(info(kMstForms[0])), AnnounceNetwork(info(kMstForms[1])),
                               AnnounceNetwork(info(kMstForms[2]))};

}  // namespace

}  // namespace snapcube
