#include "nets/map_attention.h"

#include "nets/layers.h"
#include "nets/spectral_attention.h"
#include "nets/token_attention.h"

namespace snapcube::nets {

namespace {

/// S-MSA as it starts in a block of CST.
std::shared_ptr<SpectralAttentionImpl> spectral(const ModelConfig& config, int stage) {
  auto attention =
      std::make_shared<SpectralAttentionImpl>(config.channels(stage), config.heads(stage), config.inner(stage));
  for (const auto& layer : attention->children()) {
    if (auto* linear = layer->as<torch::nn::LinearImpl>()) start_small(*linear);
  }
  return attention;
}

std::shared_ptr<MapAttentionImpl> make(const ModelConfig& config, int stage, bool odd) {
  const TokenWidths widths{config.channels(stage), config.heads(stage), config.inner(stage)};
  switch (config.attention) {
    case Attention::global:
      return std::make_shared<GlobalAttentionImpl>(widths, ModelConfig::kReduction);
    case Attention::window:
      return std::make_shared<WindowAttentionImpl>(widths, config.window, 0);
    case Attention::shifted:
      return std::make_shared<WindowAttentionImpl>(widths, config.window, odd ? config.window / 2 : 0);
    case Attention::spectral:
      return spectral(config, stage);
    default:
      TORCH_CHECK(false, "attention '", text(config.attention), "' does not work on maps");
  }
}

}  // namespace

MapAttention make_map_attention(const ModelConfig& config, int stage, bool odd) { return make(config, stage, odd); }

}  // namespace snapcube::nets
