// Prism: stages of an exact data step and a learnt denoiser, for any camera (docs/prism.md).

#include <array>
#include <fmt/format.h>

#include "models/networks.h"
#include "models/prism_form.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe_blocks(LayerList& list, const std::string& name, int count, int channels, Extent map) {
  for (int i = 0; i < count; ++i) {
    for (const int half : {0, 1}) {
      list.convolution(fmt::format("{}.{}.{}", name, i, half), channels, channels, 3, map, Bias::no);
    }
  }
}

/// A U-Net of residual blocks, its skips added.
void describe_stage(LayerList& list, const std::string& name, int channels, int inputs, Extent frame) {
  const auto map = [&](int level) { return Extent{frame.height >> level, frame.width >> level}; };
  list.parameter(name + ".eta", {1});
  list.parameter(name + ".mu", {1});
  list.convolution(name + ".input", inputs * channels, channels, 1, frame, Bias::no);
  for (int l = 0; l < kPrismLevels; ++l) {
    describe_blocks(list, fmt::format("{}.down.{}", name, l), kPrismBlocksDown[static_cast<std::size_t>(l)],
                    channels << l, map(l));
    if (l + 1 == kPrismLevels) break;
    list.convolution(fmt::format("{}.halve.{}", name, l), channels << l, channels << (l + 1), 4, map(l + 1), Bias::no);
  }
  for (int l = kPrismLevels - 2; l >= 0; --l) {
    list.deconvolution(fmt::format("{}.double.{}", name, l), channels << (l + 1), channels << l, 2, map(l));
    describe_blocks(list, fmt::format("{}.up.{}", name, l), kPrismBlocksUp[static_cast<std::size_t>(l)], channels << l,
                    map(l));
  }
  list.convolution(name + ".output", channels, channels, 3, frame, Bias::no);
}

void describe(LayerList& list, const ModelConfig& config, Extent frame, int stages) {
  // Φ and its transpose, at each stage.
  for (int i = 0; i < stages; ++i) {
    const std::string name = fmt::format("stages.{}", i);
    describe_stage(list, name, config.bands, i == 0 ? kPrismFirstInputs : kPrismInputs, frame);
    list.product(name + ".data", 2.0 * config.bands * frame.pixels());
  }
  list.convolution("error", config.bands, 1, 1, frame, Bias::yes);
}

NetworkInfo info(const PrismForm& form) {
  NetworkInfo network;
  network.name = form.name;
  network.title = form.title;
  network.description = "stages of an exact data step and a learnt denoiser, for any camera";
  network.year = 2026;
  network.input = InputForm::detector_and_masks;
  network.in_engine = true;
  network.any_camera = true;
  network.schedule = {
      .loss = "root of the mean square, earlier stages and expected error", .learning_rate = 1.5e-3, .batch = 1};
  network.bands_at = {"stages.0.output.weight", 0};
  network.describe = [stages = form.stages](LayerList& list, const ModelConfig& config, Extent frame) {
    describe(list, config, frame, stages);
  };
  return network;
}

const std::array kAnnounced = {AnnounceNetwork(info(kPrismForms[0])), AnnounceNetwork(info(kPrismForms[1]))};

}  // namespace

}  // namespace snapcube
