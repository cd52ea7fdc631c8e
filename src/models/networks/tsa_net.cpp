// TSA-Net, self-attention along rows, columns and bands (ECCV 2020).

#include <fmt/format.h>

#include "models/networks.h"
#include "models/tsa_form.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe_res2net(LayerList& list, const std::string& name, int channels, int width, Extent map) {
  constexpr int kScale = 4;
  list.convolution(name + ".conv_init", channels, kScale * width, 1, map, Bias::no);
  list.batch_norm(name + ".bn_init", kScale * width, map);
  for (int i = 0; i < 3; ++i) list.convolution(fmt::format("{}.convs.{}", name, i), width, width, 3, map, Bias::no);
  for (int i = 0; i < 3; ++i) list.batch_norm(fmt::format("{}.bns.{}", name, i), width, map);
  list.convolution(name + ".conv_end", kScale * width, channels, 1, map, Bias::no);
  list.batch_norm(name + ".bn_end", channels, map);
}

/// A convolution with bias, then batch normalisation.
void describe_cbn(LayerList& list, const std::string& name, int inputs, int outputs, Extent kernel, Extent map,
                  Bias bias = Bias::yes) {
  list.convolution(name + ".0", inputs, outputs, kernel, map, bias);
  list.batch_norm(name + ".1", outputs, map);
}

void describe_transform(LayerList& list, const TsaTransformForm& t) {
  const std::string& name = t.name;
  const Extent map = {t.size, t.size};
  const int c = t.outputs;
  int reduced = t.size;
  for (std::size_t i = 0; i < 2; ++i) {
    if (!t.mode[i]) continue;
    reduced /= 2;
    const int wide = c * t.size / reduced;
    // Of each of the heads, with the same weights.
    describe_cbn(list, fmt::format("{}.down_sample.{}", name, i), wide / 2, wide, {3, 3},
                 {reduced * kTsaHeads, reduced});
  }
  const int ratio = t.size / reduced;
  if (ratio > 1) list.deconvolution(name + ".up_sample", c * ratio, c, ratio, {t.size * kTsaHeads, t.size});
  describe_cbn(list, name + ".preproc", t.inputs, c, {1, 1}, map, Bias::no);
  for (const char* part : {"query", "key"}) {
    for (const char* axis : {"x", "y"}) {
      const std::string layer = fmt::format("{}.{}_{}", name, part, axis);
      Extent at = map;
      for (std::size_t i = 0; i < 2; ++i) {
        at = {at.height / (t.mode[i] ? 2 : 1), at.width / 2};
        describe_cbn(list, fmt::format("{}.conv{}", layer, i + 1), i == 0 ? c : kTsaHeads, kTsaHeads,
                     {t.mode[i] ? 3 : 1, 5}, at);
      }
      list.linear(layer + ".fully.0", at.width, t.spatial_width, static_cast<double>(kTsaHeads) * at.height, Bias::yes);
    }
    const std::string layer = fmt::format("{}.{}_lambda", name, part);
    int side = t.size;
    for (int i = 1; i <= 2; ++i) {
      side = (side - 5) / 2 + 1;
      describe_cbn(list, fmt::format("{}.conv{}", layer, i), c, c, {5, 5}, {side, side});
    }
    list.linear(layer + ".fully.0", side * side, kTsaHeads * t.spectral_width, c, Bias::yes);
  }
  list.convolution(name + ".value.0", c, kTsaHeads * c, 1, map, Bias::no);
  list.batch_norm(name + ".value.1", kTsaHeads * c, map);
  const double heads = kTsaHeads;
  const double r = reduced;
  list.product(name, heads * 2 * r * r * t.spatial_width);                // q·kᵀ of rows and of columns
  list.product(name, heads * 2 * r * r * r * c * ratio);                  // A_x·(V·A_yᵀ)
  list.product(name, heads * c * c * t.spectral_width);                   // q·kᵀ of bands
  list.product(name, heads * static_cast<double>(c) * c * map.pixels());  // A_λ·V
  list.linear(name + ".aggregation", kTsaHeads * c, c, map.pixels(), Bias::yes);
  list.constant(name + ".uSpatial", {}, {static_cast<float>(t.spatial_width)});
  list.constant(name + ".uSpectral", {}, {static_cast<float>(t.spectral_width)});
  if (t.spectral_mask) {
    list.constant(name + ".mask", {1, c, c}, tsa_spectral_mask(c));
    list.constant(name + ".attn_scale", {}, {kTsaMaskScale});
  }
  list.constant(name + ".gamma", {}, {1});
}

void describe(LayerList& list, const ModelConfig& config, Extent frame) {
  int channels = config.bands;
  Extent map = frame;
  for (int i = 1; i <= 4; ++i) {
    const std::string name = fmt::format("tconv_down{}", i);
    const int wide = 32 << i;
    list.convolution(name + ".layer1.0", channels, wide, 3, map, Bias::yes);
    if (i <= 2) {
      list.convolution(name + ".layer2.0", wide, wide, 3, map, Bias::yes);
    } else {
      describe_res2net(list, name + ".layer2", wide, wide / 4, map);
    }
    channels = wide;
    map = {map.height / 2, map.width / 2};
  }
  list.convolution("bottom1.0", 512, 1024, 3, map, Bias::yes);
  list.convolution("bottom2.0", 1024, 1024, 3, map, Bias::yes);
  for (int i = 4; i >= 1; --i) {
    const std::string name = fmt::format("tconv_up{}", i);
    const int wide = 32 << i;
    map = {map.height * 2, map.width * 2};
    list.deconvolution(name + ".layer1.0", 2 * wide, wide, 2, map);
    describe_res2net(list, name + ".layer2", 2 * wide, wide / 2, map);
    list.convolution(name + ".layer3.0", 2 * wide, wide, 3, map, Bias::yes);
    for (const TsaTransformForm& t : tsa_transforms(config.bands)) {
      if (t.size == map.height) describe_transform(list, t);
    }
  }
  list.convolution("conv_last", config.bands, config.bands, 1, frame, Bias::yes);
}

NetworkInfo info() {
  NetworkInfo network;
  network.name = "tsa-net";
  network.title = "TSA-Net";
  network.description = "U-net with attention along rows, columns and bands";
  network.year = 2020;
  network.input = InputForm::shifted_times_mask;
  network.only_size = kTsaSize;
  network.bands_at = {"conv_last.weight", 0};
  network.describe = describe;
  return network;
}

const AnnounceNetwork kAnnounced(info());

}  // namespace

}  // namespace snapcube
