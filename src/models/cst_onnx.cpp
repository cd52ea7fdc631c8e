#include "models/cst_onnx.h"

#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

#include <snapcube/error.h>

#include "models/onnx_network.h"

namespace snapcube {

namespace {

using onnx_type::kDouble;
using onnx_type::kFloat;
using onnx_type::kInt64;

/// Feature maps are [1, channels, height, width]; inside a group of blocks [1, height, width, channels].
class CstExporter : OnnxNetwork {
 public:
  explicit CstExporter(const Weights& weights) : OnnxNetwork(weights) {}

  std::string run() {
    const Value y = g_.input("measurement", {"detector_height", "detector_width"});
    const Value detector = g_.node("Unsqueeze", {y, g_.integers({0, 1})});
    const std::int64_t span = std::int64_t{c_.bands - 1} * std::abs(c_.step);
    height_ = size(detector, 2);
    width_ = g_.node("Sub", {size(detector, 3), g_.integers({span})});
    plan_units();
    Value input = padded(shifted_back(detector));
    if (c_.mask_input) {
      const Value mask = padded(g_.node("Unsqueeze", {g_.input("mask", {"height", "width"}), g_.integers({0, 1})}));
      input = g_.node("Concat", {input, g_.node("Expand", {mask, g_.node("Shape", {input})})}, {{"axis", 1}});
    }
    const Value x = convolution("fution", input, {});
    Value feature = x;
    if (c_.estimators == 1) feature = estimator("fe", feature);
    if (c_.estimators == 2) feature = estimator("fe.1", estimator("fe.0", feature));
    std::optional<Value> sparsity;
    if (c_.has_error_map()) {
      sparsity = slice(feature, 1, c_.bands, c_.bands + 1);
      feature = slice(feature, 1, 0, c_.bands);
      g_.output(g_.node("Squeeze", {cropped(*sparsity), g_.integers({0, 1})}), "error_map", {"height", "width"});
    }
    const Value result =
        g_.node("Add", {convolution("out_proj", unet(feature, sparsity), {{"pads", Ints{1, 1, 1, 1}}}), x});
    g_.output(g_.node("Squeeze", {cropped(result), g_.integers({0})}), "cube", {c_.bands, "height", "width"});
    return g_.model(c_.variant, description(), {{"snapcube", to_json(c_).dump()}});
  }

 private:
  std::string description() const {
    return fmt::format(
        "{}: one snapshot of a CASSI camera to a cube of {} bands. The bands lie {} pixels apart along the columns of "
        "the "
        "detector. Measurements are {}.",
        c_.variant, c_.bands, c_.step,
        c_.scale == MeasurementScale::sum ? "plain sums over the bands" : "scaled to a maximum of 0.8");
  }

  // From the detector to the network and back.

  /// Band b is columns step·b … step·b + W − 1, for a negative step from the other end.
  Value shifted_back(const Value& detector) {
    std::vector<Value> bands;
    for (std::int64_t b = 0; b < c_.bands; ++b) {
      const std::int64_t start = c_.step >= 0 ? c_.step * b : -c_.step * (c_.bands - 1 - b);
      const Value end = g_.node("Add", {width_, g_.integers({start})});
      bands.push_back(g_.node("Slice", {detector, g_.integers({start}), end, g_.integers({3})}));
    }
    Value all = g_.node("Concat", bands, {{"axis", 1}});
    if (c_.scale == MeasurementScale::max) return all;
    return g_.node("Mul", {all, g_.real(2.0f / static_cast<float>(c_.bands))});
  }

  /// The usable size, in units of the smallest: as many as cover the frame, and then, as usable_size does it, one more
  /// of the shorter side (of equal ones the width) until the bottleneck, which has a window a unit, keeps one. A frame
  /// of one unit takes the most steps.
  void plan_units() {
    const Value unit = g_.integers({c_.size_multiple()});
    const auto covering = [&](const Value& n) {
      return g_.node("Div", {g_.node("Add", {n, g_.integers({c_.size_multiple() - 1})}), unit});
    };
    rows_ = covering(height_);
    columns_ = covering(width_);
    int enough = 1;
    while (c_.kept_windows(enough) < 1) ++enough;
    const FrameSize least = usable_size(c_, 1, 1);
    const int steps = (least.height + least.width) / c_.size_multiple() - 2;
    for (int i = 0; i < steps; ++i) {
      const Value more = g_.node("Less", {g_.node("Mul", {rows_, columns_}), g_.integers({enough})});
      const Value higher = g_.node("Less", {rows_, columns_});
      const auto grown = [&](const Value& count, const Value& chosen) {
        return g_.node("Add", {count, cast(g_.node("And", {more, chosen}), kInt64)});
      };
      const Value rows = grown(rows_, higher);
      columns_ = grown(columns_, g_.node("Not", {higher}));
      rows_ = rows;
    }
  }

  /// Reflected at the bottom and at the right, again and again, up to the usable size.
  Value padded(const Value& x) { return reflected_to(reflected_to(x, 2, height_, rows_), 3, width_, columns_); }

  Value reflected_to(const Value& x, std::int64_t axis, const Value& n, const Value& units) {
    const Value places = range(g_.node("Mul", {units, g_.integers({c_.size_multiple()})}));
    return g_.node("Gather", {x, reflected(places, n)}, {{"axis", axis}});
  }

  Value cropped(const Value& x) {
    return g_.node("Slice", {x, g_.integers({0, 0}), joined({height_, width_}), g_.integers({2, 3})});
  }

  // Layers.

  Value convolution(const std::string& name, const Value& x, const OnnxAttributes& attributes) {
    return g_.node("Conv", {x, weight(name + ".weight")}, attributes);
  }
  Value depthwise(const std::string& name, const Value& x, std::int64_t stride) {
    const std::int64_t channels = tensor(name + ".weight").shape[0];
    return convolution(name, x, {{"group", channels}, {"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{stride, stride}}});
  }
  Value deconvolution(const std::string& name, const Value& x) {
    return g_.node("ConvTranspose", {x, weight(name + ".weight"), weight(name + ".bias")}, {{"strides", Ints{2, 2}}});
  }
  /// x·Wᵀ over the last axis; the transposed matrix is stored.
  Value linear(const std::string& name, const Value& x) {
    const NamedTensor& w = tensor(name + ".weight");
    const auto outputs = static_cast<std::size_t>(w.shape[0]);
    const auto inputs = static_cast<std::size_t>(w.shape[1]);
    FloatBuffer turned(w.values.size());
    for (std::size_t i = 0; i < outputs; ++i) {
      for (std::size_t j = 0; j < inputs; ++j) turned[j * outputs + i] = w.values[i * inputs + j];
    }
    return g_.node("MatMul", {x, g_.weights(name + ".weight", {w.shape[1], w.shape[0]}, turned)});
  }
  Value norm(const std::string& name, const Value& x) {
    return g_.node("LayerNormalization", {x, weight(name + ".weight"), weight(name + ".bias")},
                   {{"axis", -1}, {"epsilon", 1e-5f}});
  }
  Value leaky(const Value& x) { return g_.node("LeakyRelu", {x}, {{"alpha", 0.1f}}); }
  Value relu(const Value& x) { return g_.node("Relu", {x}); }

  // The estimator.

  Value estimator(const std::string& name, const Value& x) {
    Value feature = leaky(convolution(name + ".in_proj", x, {}));
    std::vector<Value> skips;
    for (int i = 0; i < 2; ++i) {
      const std::string layer = fmt::format("{}.encoder_layers.{}", name, i);
      skips.push_back(feature);
      const Value wide = leaky(convolution(layer + ".0", feature, {}));
      feature = convolution(layer + ".2", leaky(depthwise(layer + ".1", wide, 2)), {});
    }
    feature = g_.node("Add", {aspp(name + ".bottleneck", feature), feature});
    for (int i = 0; i < 2; ++i) {
      const std::string layer = fmt::format("{}.decoder_layers.{}", name, i);
      const Value wide = leaky(convolution(layer + ".1", deconvolution(layer + ".0", feature), {}));
      feature = convolution(layer + ".3", leaky(depthwise(layer + ".2", wide, 1)), {});
      feature = g_.node("Add", {feature, skips[static_cast<std::size_t>(1 - i)]});
    }
    return convolution(name + ".out_conv2", feature, {{"pads", Ints{1, 1, 1, 1}}});
  }

  Value aspp(const std::string& name, const Value& x) {
    std::vector<Value> views;
    for (const std::int64_t rate : {3, 6}) {
      views.push_back(relu(convolution(fmt::format("{}.convs.{}.0", name, rate / 3 - 1), x,
                                       {{"dilations", Ints{rate, rate}}, {"pads", Ints{rate, rate, rate, rate}}})));
    }
    const Value pooled = relu(convolution(name + ".convs.2.1", g_.node("GlobalAveragePool", {x}), {}));
    views.push_back(g_.node("Expand", {pooled, g_.node("Shape", {x})}));
    return relu(convolution(name + ".project.0", g_.node("Concat", views, {{"axis", 1}}), {}));
  }

  // Encoder, bottleneck, decoder.

  Value unet(Value feature, std::optional<Value> sparsity) {
    std::vector<Value> skips;
    std::vector<std::optional<Value>> masks;
    for (int i = 0; i < 2; ++i) {
      feature = blocks(fmt::format("encoder_layers.{}.0", i), i, feature, sparsity);
      skips.push_back(feature);
      masks.push_back(sparsity);
      feature = convolution(fmt::format("encoder_layers.{}.1", i), feature,
                            {{"pads", Ints{1, 1, 1, 1}}, {"strides", Ints{2, 2}}});
      if (sparsity) sparsity = mean(*sparsity, 2);
    }
    feature = blocks("bottleneck", 2, feature, sparsity);
    for (int i = 0; i < 2; ++i) {
      const auto stage = static_cast<std::size_t>(1 - i);
      feature = g_.node("Add", {deconvolution(fmt::format("decoder_layers.{}.0", i), feature), skips[stage]});
      feature = blocks(fmt::format("decoder_layers.{}.1", i), 1 - i, feature, masks[stage]);
    }
    return feature;
  }

  Value mean(const Value& map, std::int64_t side) {
    return g_.node("AveragePool", {map}, {{"kernel_shape", Ints{side, side}}, {"strides", Ints{side, side}}});
  }

  Value blocks(const std::string& group, int stage, const Value& feature, const std::optional<Value>& mask) {
    Value x = transpose(feature, {0, 2, 3, 1});
    for (int j = 0; j < c_.blocks[static_cast<std::size_t>(stage)]; ++j) {
      const std::string name = fmt::format("{}.blocks.{}", group, j);
      if (c_.attention == Attention::sah) x = attended(name, stage, x, mask, j % 2 == 1);
      const Value inner = transpose(norm(name + ".ffn.norm", x), {0, 3, 1, 2});
      const Value hidden = gelu(convolution(name + ".ffn.fn.net.0", inner, {}));
      const Value out = convolution(name + ".ffn.fn.net.4", gelu(depthwise(name + ".ffn.fn.net.2", hidden, 1)), {});
      x = g_.node("Add", {x, transpose(out, {0, 2, 3, 1})});
    }
    return transpose(x, {0, 3, 1, 2});
  }

  /// Cyclically by n pixels along two axes: the part before n goes to the end (n < 0: the last −n go to the front).
  Value rolled(Value x, std::int64_t n, std::int64_t first_axis) {
    constexpr std::int64_t kEnd = std::int64_t{1} << 40;
    for (std::int64_t axis = first_axis; axis < first_axis + 2; ++axis) {
      x = g_.node("Concat", {slice(x, axis, n, kEnd), slice(x, axis, 0, n)}, {{"axis", axis}});
    }
    return x;
  }

  Value attended(const std::string& name, int stage, Value x, std::optional<Value> mask, bool shifted) {
    const std::int64_t m = c_.window;
    const std::int64_t channels = c_.channels(stage);
    if (shifted) {
      x = rolled(x, m / 2, 1);
      if (mask) mask = rolled(*mask, m / 2, 2);
    }
    const Value shape = g_.node("Shape", {x});
    const Value rows = g_.node("Div", {size(x, 1), g_.integers({m})});
    const Value columns = g_.node("Div", {size(x, 2), g_.integers({m})});
    const Value side = g_.integers({m});
    const Value depth = g_.integers({channels});
    const Value tiles = g_.node("Reshape", {x, joined({rows, side, columns, side, depth})});
    const Value windows = reshape(transpose(tiles, {0, 2, 1, 3, 4}), {-1, m * m, channels});
    Value updated;
    if (mask) {
      const Value index = kept(*mask);
      const Value chosen = g_.node("Gather", {windows, index}, {{"axis", 0}});
      const Value done = g_.node("Add", {chosen, attention(name, stage, norm(name + ".attn.norm", chosen))});
      updated = g_.node("ScatterND", {windows, g_.node("Unsqueeze", {index, g_.integers({1})}), done});
    } else {
      updated = g_.node("Add", {windows, attention(name, stage, norm(name + ".attn.norm", windows))});
    }
    const Value grid = g_.node("Reshape", {updated, joined({rows, columns, side, side, depth})});
    x = g_.node("Reshape", {transpose(grid, {0, 2, 1, 3, 4}), shape});
    return shifted ? rolled(x, -m / 2, 1) : x;
  }

  /// The windows of highest score; of equal ones TopK takes the lower index first.
  Value kept(const Value& mask) {
    const Value scores = reshape(mean(mask, c_.window), {-1});
    const Value windows = cast(g_.node("Shape", {scores}), kDouble);
    const Value share = g_.node("Floor", {g_.node("Mul", {windows, g_.real64(1 - c_.sparsity)})});
    return g_.nodes("TopK", {scores, cast(share, kInt64)}, {{"axis", 0}, {"largest", 1}, {"sorted", 1}}, 2)[1];
  }

  /// x: [groups, tokens, channels], normalised.
  Value attention(const std::string& block, int stage, const Value& x) {
    const std::string name = block + ".attn.fn";
    const std::int64_t heads = c_.heads(stage);
    const std::int64_t tokens = std::int64_t{c_.window} * c_.window;
    const std::int64_t rounds = c_.rounds;
    const std::int64_t d = tensor(name + ".to_q.weight").shape[0] / heads;
    // [groups, heads, rounds, tokens]: the order of the tokens by their codes.
    const Value order = clustering(name, x, c_.channels(stage) / heads, heads);
    const Value index = g_.node("Unsqueeze", {order, g_.integers({4})});
    const Value wide = g_.node("Expand", {index, g_.integers({1, 1, 1, 1, d})});
    const auto sorted = [&](const char* part) {
      const Value split = transpose(reshape(linear(name + part, x), {-1, tokens, heads, d}), {0, 2, 1, 3});
      const Value repeated =
          g_.node("Expand", {g_.node("Unsqueeze", {split, g_.integers({2})}), g_.integers({1, 1, rounds, 1, 1})});
      return g_.node("GatherElements", {repeated, wide}, {{"axis", 3}});
    };
    const auto bucketed = [&](const Value& t) {
      return reshape(t, {-1, heads, rounds, tokens / c_.bucket, c_.bucket, d});
    };
    const Value q = bucketed(sorted(".to_q"));
    const Value k = transpose(bucketed(sorted(".to_k")), {0, 1, 2, 3, 5, 4});
    const Value v = sorted(".to_v");
    Value logits = g_.node("MatMul", {q, k});
    if (c_.scale_logits) logits = g_.node("Div", {logits, g_.real(std::sqrt(static_cast<float>(d)))});
    // logsumexp, with the maximum taken out.
    const Value most = g_.node("ReduceMax", {logits}, {{"axes", Ints{-1}}, {"keepdims", 1}});
    const Value powers = g_.node("Exp", {g_.node("Sub", {logits, most})});
    const Value sum = g_.node("ReduceSum", {powers, g_.integers({-1})}, {{"keepdims", 1}});
    const Value score = reshape(g_.node("Add", {most, g_.node("Log", {sum})}), {-1, heads, rounds, tokens, 1});
    const Value head = g_.node("MatMul", {g_.node("Div", {powers, sum}), bucketed(v)});
    // Back to the order of the tokens: every place is written, so that what was there does not matter.
    const Value out =
        g_.node("ScatterElements", {v, wide, reshape(head, {-1, heads, rounds, tokens, d})}, {{"axis", 3}});
    const Value said = g_.node("ScatterElements", {score, index, score}, {{"axis", 3}});
    const Value weights = g_.node("Softmax", {said}, {{"axis", 2}});
    const Value mixed = g_.node("ReduceSum", {g_.node("Mul", {out, weights}), g_.integers({2})}, {{"keepdims", 0}});
    return linear(name + ".to_out", reshape(transpose(mixed, {0, 2, 1, 3}), {-1, tokens, heads * d}));
  }

  /// In double precision, as the engine does it: after LayerNorm lengths are nearly equal, and what single precision
  /// leaves of n_max² − |e|² is little more than rounding.
  Value clustering(const std::string& name, const Value& x, std::int64_t width, std::int64_t heads) {
    const std::int64_t tokens = std::int64_t{c_.window} * c_.window;
    const Value e = cast(transpose(reshape(x, {-1, tokens, heads, width}), {0, 2, 1, 3}), kDouble);
    const Value square = g_.node("ReduceSumSquare", {e}, {{"axes", Ints{-1}}, {"keepdims", 1}});
    const Value longest = g_.node("ReduceMax", {square}, {{"axes", Ints{2}}, {"keepdims", 1}});
    const Value extension = g_.node("Sqrt", {g_.node("Sub", {longest, square})});
    // α: `width` rows for the token, one for its extension, one that meets a zero.
    const NamedTensor& alpha = tensor(name + ".hash_alpha");
    const std::int64_t rounds = c_.rounds;
    const std::span<const float> values(alpha.values);
    const auto cut = static_cast<std::size_t>(width * rounds);
    const Value of_token = g_.weights(name + ".hash_alpha", {width, rounds}, values.first(cut));
    const Value of_rest =
        g_.weights(name + ".hash_alpha_extension", {1, rounds}, values.subspan(cut, static_cast<std::size_t>(rounds)));
    Value code = g_.node(
        "Add", {g_.node("MatMul", {e, cast(of_token, kDouble)}), g_.node("Mul", {extension, cast(of_rest, kDouble)})});
    code = g_.node("Add", {code, cast(weight(name + ".hash_beta"), kDouble)});
    if (c_.hash_floor) code = g_.node("Floor", {code});
    return g_.nodes("TopK", {transpose(cast(code, kFloat), {0, 1, 3, 2}), g_.integers({tokens})},
                    {{"axis", 3}, {"largest", 0}, {"sorted", 1}}, 2)[1];
  }

  Value height_;
  Value width_;
  Value rows_;  ///< of units, and columns
  Value columns_;
};

}  // namespace

std::string cst_onnx(const Weights& weights, const std::string& source) {
  check_weights(weights, source);
  const ModelConfig& config = weights.config;
  if (config.has_other_attention()) {
    throw InputError(source, "attention", "none or sah, which can be exported", text(config.attention));
  }
  if (config.scope != Scope::local && config.attention == Attention::sah) {
    throw InputError(source, "scope", "local, which ONNX can express", "global");
  }
  if (config.screening == Screening::random || config.screening == Screening::uniform) {
    throw InputError(source, "screening", "none or estimator, which ONNX can express", "another one");
  }
  return CstExporter(weights).run();
}

}  // namespace snapcube
