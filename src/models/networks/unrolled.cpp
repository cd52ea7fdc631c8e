// HSSP (CVPR 2019) and DNU (CVPR 2020): gradient steps whose prior is learned, on the detector's grid.

#include <array>
#include <fmt/format.h>

#include "models/networks.h"
#include "models/unrolled_form.h"

namespace snapcube {

namespace {

using Bias = LayerList::Bias;

void describe(LayerList& list, const ModelConfig& config, Extent frame, bool non_local) {
  const int c = config.bands;
  const Extent detector = {frame.height, frame.width + (c - 1) * config.step};
  for (int i = 0; i < kUnrolledStages; ++i) {
    const std::string name = fmt::format("stages.{}", i);
    list.parameter(name + ".delta", {1});
    list.parameter(name + ".eta", {1});
    list.convolution(name + ".local.0", c, kUnrolledWidth, 3, detector, Bias::yes);
    list.convolution(name + ".local.2", kUnrolledWidth, c, 3, detector, Bias::yes);
    list.convolution(name + ".mix", c, c, 1, detector, Bias::yes);
    if (!non_local) continue;
    list.parameter(name + ".omega", {1});
    list.convolution(name + ".psi", c, c, 1, detector, Bias::yes);
    list.product(name + ".psi", 2.0 * c * c * detector.pixels());  // xᵀψ(x), and x times that
  }
}

NetworkInfo info(bool non_local) {
  NetworkInfo network;
  network.name = non_local ? "dnu" : "hssp";
  network.title = non_local ? "DNU" : "HSSP";
  network.description = non_local ? "eleven unrolled steps with a local and a non-local prior"
                                  : "eleven unrolled steps with a local prior";
  network.year = non_local ? 2020 : 2019;
  network.input = InputForm::detector_and_masks;
  network.bands_at = {"stages.0.mix.weight", 0};
  network.describe = [non_local](LayerList& list, const ModelConfig& config, Extent frame) {
    describe(list, config, frame, non_local);
  };
  return network;
}

const std::array kAnnounced = {AnnounceNetwork(info(false)), AnnounceNetwork(info(true))};

}  // namespace

}  // namespace snapcube
