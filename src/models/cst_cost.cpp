#include "models/cst_cost.h"

#include <fmt/format.h>

namespace snapcube {

namespace {

/// Adds up one entry.
class Counter {
 public:
  explicit Counter(std::string name) { cost_.name = std::move(name); }

  /// k×k convolution without bias on `pixels` output pixels, inputs per group × outputs.
  void convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t k, double pixels) {
    const std::int64_t weights = inputs * outputs * k * k;
    cost_.parameters += weights;
    both(static_cast<double>(weights) * pixels);
  }
  /// 2×2 stride 2 with bias. Every output pixel sees one tap; the paper's counter took all four, and the outputs twice.
  void deconvolution(std::int64_t inputs, std::int64_t outputs, double output_pixels) {
    cost_.parameters += inputs * outputs * 4 + outputs;
    cost_.multiply_adds += static_cast<double>(inputs * outputs) * output_pixels;
    cost_.counted_by_paper += output_pixels * static_cast<double>(outputs) * 4 * static_cast<double>(outputs);
  }
  void linear(std::int64_t inputs, std::int64_t outputs, double tokens) { convolution(inputs, outputs, 1, tokens); }
  void product(double multiply_adds) { both(multiply_adds); }
  void layer_norm(std::int64_t channels, double tokens) {
    cost_.parameters += 2 * channels;
    cost_.counted_by_paper += 5.0 * static_cast<double>(channels) * tokens;
  }
  void parameters(std::int64_t count) { cost_.parameters += count; }
  void broadcast(double elements) { cost_.counted_by_paper += 4 * elements; }

  const LayerCost& cost() const { return cost_; }

 private:
  void both(double n) {
    cost_.multiply_adds += n;
    cost_.counted_by_paper += n;
  }
  LayerCost cost_;
};

LayerCost estimator(const std::string& name, const ModelConfig& config, bool error_map, double pixels) {
  const std::int64_t c = config.bands;
  Counter n(name);
  n.convolution(c, c, 1, pixels);
  for (const std::int64_t d : {c, 2 * c}) {  // encoder
    const double input = d == c ? pixels : pixels / 4;
    n.convolution(d, 2 * d, 1, input);
    n.convolution(1, 2 * d, 3, input / 4);
    n.convolution(2 * d, 2 * d, 1, input / 4);
  }
  const double deep = pixels / 16;
  n.convolution(4 * c, 4 * c, 3, deep);
  n.convolution(4 * c, 4 * c, 3, deep);
  n.convolution(4 * c, 4 * c, 1, 1);
  n.broadcast(static_cast<double>(4 * c) * deep);
  n.convolution(12 * c, 4 * c, 1, deep);
  for (const std::int64_t d : {4 * c, 2 * c}) {  // decoder
    const double output = d == 4 * c ? pixels / 4 : pixels;
    n.deconvolution(d, d / 2, output);
    n.convolution(d / 2, d, 1, output);
    n.convolution(1, d, 3, output);
    n.convolution(d, d / 2, 1, output);
  }
  n.convolution(c, c + (error_map ? 1 : 0), 3, pixels);
  return n.cost();
}

void count_attention(Counter& n, const ModelConfig& config, int stage, int height, int width) {
  const std::int64_t c = config.channels(stage);
  const std::int64_t inner = config.inner(stage);
  const double window = static_cast<double>(config.window) * config.window;
  const double pixels = static_cast<double>(height) * width;
  double normalised = pixels;
  double tokens = pixels;    // that attend
  double partners = window;  // of each
  switch (config.attention) {
    case Attention::global:
      tokens = partners = pixels / (ModelConfig::kReduction * ModelConfig::kReduction);
      break;
    case Attention::spectral:  // 18 weights a channel for its place, and a scale for each head
      partners = config.bands;
      n.convolution(1, c, 3, pixels);
      n.convolution(1, c, 3, pixels);
      n.parameters(config.heads(stage) + c);
      break;
    case Attention::sah: {
      const int windows = height / config.window * (width / config.window);
      normalised = tokens = config.kept_windows(windows) * window;
      partners = static_cast<double>(config.rounds) * config.bucket;
      n.product(tokens * config.heads(stage) * (config.bands + 2) * config.rounds);  // hash codes
      break;
    }
    default:
      break;
  }
  n.layer_norm(c, normalised);
  for (int i = 0; i < 3; ++i) n.linear(c, inner, tokens);
  n.product(2 * tokens * partners * static_cast<double>(inner));  // q·k and A·v
  n.linear(inner, c, tokens);
}

LayerCost block(const std::string& name, const ModelConfig& config, int stage, int height, int width) {
  const std::int64_t c = config.channels(stage);
  const double pixels = static_cast<double>(height) * width;
  Counter n(name);
  if (config.attention != Attention::none) count_attention(n, config, stage, height, width);
  n.layer_norm(c, pixels);
  n.convolution(c, 4 * c, 1, pixels);
  n.convolution(1, 4 * c, 3, pixels);
  n.convolution(4 * c, c, 1, pixels);
  return n.cost();
}

}  // namespace

std::vector<LayerCost> cst_cost(const ModelConfig& config, int height, int width) {
  std::vector<LayerCost> layers;
  const double pixels = static_cast<double>(height) * width;
  const std::int64_t c = config.bands;
  const auto add = [&](const std::string& name, auto count) {
    Counter counter(name);
    count(counter);
    layers.push_back(counter.cost());
  };
  const auto add_blocks = [&](const std::string& group, int stage) {
    for (int j = 0; j < config.blocks[static_cast<std::size_t>(stage)]; ++j) {
      layers.push_back(block(fmt::format("{}.blocks.{}", group, j), config, stage, height >> stage, width >> stage));
    }
  };
  add("fution", [&](Counter& n) { n.convolution(config.mask_input ? 2 * c : c, c, 1, pixels); });
  for (int i = 0; i < config.estimators; ++i) {
    const bool last = i + 1 == config.estimators;
    layers.push_back(estimator(config.estimators == 1 ? "fe" : fmt::format("fe.{}", i), config,
                               last && config.has_error_map(), pixels));
  }
  for (int i = 0; i < 2; ++i) {
    add_blocks(fmt::format("encoder_layers.{}.0", i), i);
    add(fmt::format("encoder_layers.{}.1", i),
        [&](Counter& n) { n.convolution(config.channels(i), config.channels(i + 1), 4, pixels / (i == 0 ? 4 : 16)); });
  }
  add_blocks("bottleneck", 2);
  for (int i = 0; i < 2; ++i) {
    add(fmt::format("decoder_layers.{}.0", i), [&](Counter& n) {
      n.deconvolution(config.channels(2 - i), config.channels(1 - i), pixels / (i == 0 ? 4 : 1));
    });
    add_blocks(fmt::format("decoder_layers.{}.1", i), 1 - i);
  }
  add("out_proj", [&](Counter& n) { n.convolution(c, c, 3, pixels); });
  return layers;
}

}  // namespace snapcube
