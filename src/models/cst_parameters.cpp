#include "models/cst_parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace snapcube {

namespace {

constexpr std::int64_t kHiddenFactor = 4;

class Lister {
 public:
  explicit Lister(const ModelConfig& config) : config_(config) {}

  std::vector<ParameterShape> list() {
    const std::int64_t c = config_.bands;
    convolution("fution", config_.mask_input ? 2 * c : c, c, 1);
    if (config_.estimators == 1) estimator("fe", config_.has_error_map());
    if (config_.estimators == 2) {
      estimator("fe.0", false);
      estimator("fe.1", config_.has_error_map());
    }
    for (int i = 0; i < 2; ++i) {
      blocks(fmt::format("encoder_layers.{}.0", i), i);
      convolution(fmt::format("encoder_layers.{}.1", i), config_.channels(i), config_.channels(i + 1), 4);
    }
    blocks("bottleneck", 2);
    for (int i = 0; i < 2; ++i) {
      deconvolution(fmt::format("decoder_layers.{}.0", i), config_.channels(2 - i));
      blocks(fmt::format("decoder_layers.{}.1", i), 1 - i);
    }
    convolution("out_proj", c, c, 3);
    std::ranges::move(hash_, std::back_inserter(trained_));
    return std::move(trained_);
  }

 private:
  void add(std::string name, std::vector<std::int64_t> shape) {
    trained_.push_back({std::move(name), std::move(shape)});
  }
  void linear(const std::string& name, std::int64_t inputs, std::int64_t outputs) {
    add(name + ".weight", {outputs, inputs});
  }
  /// k×k, `inputs` of each group.
  void convolution(const std::string& name, std::int64_t inputs, std::int64_t outputs, std::int64_t k) {
    add(name + ".weight", {outputs, inputs, k, k});
  }
  /// 2×2, half the channels, with bias; transposed convolutions have their inputs first.
  void deconvolution(const std::string& name, std::int64_t inputs) {
    add(name + ".weight", {inputs, inputs / 2, 2, 2});
    add(name + ".bias", {inputs / 2});
  }
  void norm(const std::string& name, std::int64_t channels) {
    add(name + ".weight", {channels});
    add(name + ".bias", {channels});
  }

  void estimator(const std::string& name, bool error_map) {
    const std::int64_t c = config_.bands;
    convolution(name + ".in_proj", c, c, 1);
    for (int i = 0; i < 2; ++i) {
      const std::int64_t d = c << i;
      const std::string layer = fmt::format("{}.encoder_layers.{}", name, i);
      convolution(layer + ".0", d, 2 * d, 1);
      convolution(layer + ".1", 1, 2 * d, 3);
      convolution(layer + ".2", 2 * d, 2 * d, 1);
    }
    convolution(name + ".bottleneck.convs.0.0", 4 * c, 4 * c, 3);
    convolution(name + ".bottleneck.convs.1.0", 4 * c, 4 * c, 3);
    convolution(name + ".bottleneck.convs.2.1", 4 * c, 4 * c, 1);
    convolution(name + ".bottleneck.project.0", 12 * c, 4 * c, 1);
    for (int i = 0; i < 2; ++i) {
      const std::int64_t d = c << (2 - i);
      const std::string layer = fmt::format("{}.decoder_layers.{}", name, i);
      deconvolution(layer + ".0", d);
      convolution(layer + ".1", d / 2, d, 1);
      convolution(layer + ".2", 1, d, 3);
      convolution(layer + ".3", d, d / 2, 1);
    }
    convolution(name + ".out_conv2", c, error_map ? c + 1 : c, 3);
  }

  void blocks(const std::string& group, int stage) {
    for (int j = 0; j < config_.blocks[static_cast<std::size_t>(stage)]; ++j) {
      block(fmt::format("{}.blocks.{}", group, j), stage);
    }
  }

  void block(const std::string& name, int stage) {
    const std::int64_t c = config_.channels(stage);
    const std::string attention = name + ".attn.fn";
    const std::int64_t inner = config_.inner(stage);
    if (config_.attention != Attention::none) {
      if (config_.attention == Attention::spectral) add(attention + ".rescale", {config_.heads(stage), 1, 1});
      for (const char* part : {".to_q", ".to_k", ".to_v"}) linear(attention + part, c, inner);
      if (config_.attention == Attention::spectral) {
        linear(attention + ".proj", inner, c);
        add(attention + ".proj.bias", {c});
        convolution(attention + ".pos_emb.0", 1, c, 3);
        convolution(attention + ".pos_emb.2", 1, c, 3);
      } else {
        linear(attention + ".to_out", inner, c);
      }
      norm(name + ".attn.norm", c);
    }
    if (config_.attention == Attention::sah) {
      hash_.push_back({attention + ".hash_alpha", {c / config_.heads(stage) + 2, config_.rounds}});
      hash_.push_back({attention + ".hash_beta", {config_.rounds}});
    }
    convolution(name + ".ffn.fn.net.0", c, kHiddenFactor * c, 1);
    convolution(name + ".ffn.fn.net.2", 1, kHiddenFactor * c, 3);
    convolution(name + ".ffn.fn.net.4", kHiddenFactor * c, c, 1);
    norm(name + ".ffn.norm", c);
  }

  const ModelConfig& config_;
  std::vector<ParameterShape> trained_;
  std::vector<ParameterShape> hash_;
};

}  // namespace

std::vector<ParameterShape> cst_parameters(const ModelConfig& config) { return Lister(config).list(); }

bool is_hash_tensor(std::string_view name) { return name.ends_with(".hash_alpha") || name.ends_with(".hash_beta"); }

}  // namespace snapcube
