#include "models/prism_onnx.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/onnx_network.h"
#include "models/prism_form.h"

namespace snapcube {

namespace {

using onnx_type::kBool;
using onnx_type::kDouble;
using onnx_type::kFloat;
using onnx_type::kInt64;

/// Below this part of the mean, a detector pixel sees no light, and has nothing to share.
constexpr double kDark = 1e-3;
/// Pixels on either side from which a detector pixel that sees nothing gets its level.
constexpr std::int64_t kReach = 4;
/// Frames are reflected to multiples of this.
constexpr std::int64_t kUnit = 1 << (kPrismLevels - 1);

/// Images lie column by column, [W, H], cubes [bands, W, H] and feature maps [1, channels, W, H], so that what the
/// dispersion moves is in one piece; kernels are turned likewise.
///
/// A band falls on one column of the detector, or on two: these are its taps. Φ gathers the columns of all taps and
/// sums them by their shares, a product with a matrix.
class PrismExporter : OnnxNetwork {
 public:
  explicit PrismExporter(const Weights& weights) : OnnxNetwork(weights) {}

  std::string run(int stages) {
    read_inputs();
    place_taps();
    weigh();
    plan_resampling();
    plan_edges();
    Value x = shift_back(level());
    const Value maps = joined({to_channels(shares()), to_channels(x)}, 1);
    Value feature;
    for (int i = 0; i < stages; ++i) {
      const std::string name = fmt::format("stages.{}", i);
      const Value before = x;
      x = data_step(name, x);
      std::vector<Value> inputs = {to_channels(x)};
      if (i > 0) {
        inputs.push_back(to_channels(before));
        inputs.push_back(feature);
      }
      inputs.push_back(maps);
      feature = denoised(name, joined(inputs, 1));
      const Value change = cropped(convolution(name + ".output", feature, 1));
      x = add(x, to_bands(change));
      feature = cropped(feature);
    }
    write_outputs(x, feature);
    return g_.model(c_.variant, description(), {{"snapcube", to_json(c_).dump()}});
  }

 private:
  std::string description() const {
    return fmt::format(
        "{}: one snapshot of any CASSI camera to a cube. The bands lie at `positions` along the columns of the "
        "detector. "
        "`masks` are one for each band, or one for all. `weights` are those of detector pixels, 0 where one is dead, "
        "or "
        "a single 1.",
        c_.variant);
  }

  // Inputs and outputs.

  Value turned(const Value& image) { return transpose(image, {1, 0}); }

  /// Cameras whose bands come from the right are mirrored: n − 1 … 0 for those, else 0 … n − 1.
  Value mirrored(const Value& n) {
    const Value places = range(n);
    return g_.node("Where", {falling_, subtract(subtract(n, g_.integers({1})), places), places});
  }

  void read_inputs() {
    Value y = turned(g_.input("measurement", {"detector_height", "detector_width"}));
    Value masks = transpose(g_.input("masks", {"masks", "height", "width"}), {0, 2, 1});
    const Value positions = g_.input("positions", {"bands"});
    Value w = turned(g_.input("weights", {"weights_height", "weights_width"}));
    columns_ = size(y, 0);
    height_ = size(y, 1);
    width_ = size(masks, 1);
    bands_ = size(positions, 0);

    const Value first = slice(positions, 0, 0, 1);
    const Value last = slice(positions, 0, -1, kEnd);
    falling_ = g_.node("Less", {last, first});
    // The smallest is 0, on the mirrored detector too.
    const Value from_left = subtract(positions, g_.node("ReduceMin", {positions}, {{"axes", Ints{0}}}));
    const Value from_right = subtract(cast(subtract(columns_, width_), kFloat), from_left);
    positions_ = g_.node("Where", {falling_, from_right, from_left});

    detector_order_ = mirrored(columns_);
    order_ = mirrored(width_);
    w = g_.node("Expand", {w, joined({columns_, height_})});
    masks = g_.node("Expand", {masks, joined({bands_, width_, height_})});
    w_ = g_.node("Gather", {w, detector_order_}, {{"axis", 0}});
    y = g_.node("Gather", {y, detector_order_}, {{"axis", 0}});
    y_ = g_.node("Where", {g_.node("Greater", {w_, g_.real(0)}), y, g_.real(0)});
    masks_ = g_.node("Gather", {masks, order_}, {{"axis", 1}});
  }

  void write_outputs(const Value& x, const Value& feature) {
    const Value bright = multiply(reshape(x, {0, 0, -1}), brightness_);
    const Value cube = transpose(g_.node("Gather", {bright, order_}, {{"axis", 1}}), {0, 2, 1});
    g_.output(cube, "cube", {"bands", "height", "width"});
    const Value raw = g_.node("Conv", {feature, weight("error.weight"), weight("error.bias")});
    const Value error = multiply(g_.node("Softplus", {reshape(raw, {-1})}), brightness_);
    const Value image = g_.node("Reshape", {error, joined({width_, height_})});
    g_.output(turned(g_.node("Gather", {image, order_}, {{"axis", 0}})), "expected_error", {"height", "width"});
  }

  // The camera.

  /// First one tap for each band, then another for those that fall between two columns.
  void place_taps() {
    const Value whole = g_.node("Floor", {positions_});
    const Value fraction = subtract(positions_, whole);
    const Value between = g_.node("Greater", {fraction, g_.real(0)});
    const Value all = range(bands_);
    const auto of_those = [&](const Value& x) { return g_.node("Compress", {x, between}, {{"axis", 0}}); };
    const Value near = subtract(g_.real(1), fraction);
    const Value place = cast(whole, kInt64);
    const Value band = joined({all, of_those(all)});
    const Value at = joined({place, of_those(add(place, g_.integers({1})))});
    const Value share = joined({near, of_those(fraction)});
    taps_ = size(band, 0);
    coupled_ = g_.node("Less", {scalar(bands_), scalar(taps_)});

    // back: the detector's column of each column of each tap. forth: the column of each tap that a detector's column
    // gets; every band has an empty column on both sides for those that it has not.
    const Value of_tap = unsqueeze(at, {1});
    back_ = add(of_tap, range(width_));
    const Value wide = add(width_, g_.integers({2}));
    const Value inside = add(subtract(range(columns_), of_tap), g_.integers({1}));
    const Value edge = add(width_, g_.integers({1}));
    const Value clipped = g_.node("Min", {g_.node("Max", {inside, g_.integers({0})}), edge});
    forth_ = add(multiply(unsqueeze(band, {1}), wide), clipped);

    tap_shares_ = unsqueeze(share, {0});
    const Value is_own = g_.node("Equal", {unsqueeze(all, {1}), unsqueeze(band, {0})});
    back_shares_ = multiply(cast(is_own, kFloat), tap_shares_);
    // What a band between two columns couples: (1 − f)·f, counted at the first of its taps.
    const Value both = multiply(near, fraction);
    couplings_ = unsqueeze(joined({both, multiply(of_those(fraction), g_.real(0))}), {0});
  }

  /// The columns of all taps on the detector, [taps, W'·H].
  Value gathered(const Value& cube) {
    const Value between = g_.node("Pad", {cube, g_.integers({0, 1, 0, 0, 1, 0})});
    const Value columns = g_.node("Reshape", {between, joined({g_.integers({-1}), height_})});
    return flat(g_.node("Gather", {columns, forth_}, {{"axis", 0}}));
  }
  Value flat(const Value& x) { return g_.node("Flatten", {x}, {{"axis", 1}}); }
  /// Summed by these shares, [W', H].
  Value summed(const Value& taps, const Value& shares) {
    return g_.node("Reshape", {g_.node("MatMul", {shares, taps}), joined({columns_, height_})});
  }
  /// Sx: without the mask.
  Value shift_and_sum(const Value& cube) { return summed(gathered(cube), tap_shares_); }
  /// Sᵀs, [bands, W, H].
  Value shift_back(const Value& s) {
    const Value taps = flat(g_.node("Gather", {s, back_}, {{"axis", 0}}));
    const Value bands = g_.node("MatMul", {back_shares_, taps});
    return g_.node("Reshape", {bands, joined({bands_, width_, height_})});
  }

  /// The sum of all values, in double precision.
  Value total(const Value& x) { return g_.node("ReduceSum", {cast(x, kDouble)}, {{"keepdims", 0}}); }
  Value greater_than_0(const Value& x) { return g_.node("Greater", {x, g_.real64(0)}); }

  /// Brightness, roots of the weights, √wΦΦᵀ√w.
  void weigh() {
    lit_ = shift_and_sum(masks_);
    const Value light = total(multiply(w_, lit_));
    const Value ratio = g_.node("Where", {greater_than_0(light), divide(total(multiply(w_, y_)), light), g_.real64(0)});
    const Value finite = g_.node("Not", {g_.node("IsInf", {ratio})});
    const Value usable = g_.node("And", {greater_than_0(ratio), finite});
    brightness_ = cast(g_.node("Where", {usable, ratio, g_.real64(1)}), kFloat);
    y_ = divide(y_, brightness_);
    roots_ = g_.node("Sqrt", {w_});

    squares_ = multiply(masks_, masks_);
    const Value taps = gathered(squares_);
    diagonal_ = multiply(summed(taps, multiply(tap_shares_, tap_shares_)), w_);
    next_ = multiply(multiply(summed(taps, couplings_), roots_), shifted_up(roots_, g_.integers({1})));

    const Value open = total(g_.node("Greater", {diagonal_, g_.real(0)}));
    scale_ = cast(g_.node("Where", {greater_than_0(open), divide(total(diagonal_), open), g_.real64(1)}), kFloat);
    const Value pixels = cast(scalar(multiply(columns_, height_)), kDouble);
    darkest_ = cast(divide(multiply(light, g_.real64(kDark)), pixels), kFloat);
  }

  /// y/(Φ1); what sees nothing has the mean of its surroundings in the row, or 1.
  Value level() {
    const Value is_lit = g_.node("Greater", {lit_, darkest_});
    const Value usable = g_.node("And", {is_lit, g_.node("Greater", {w_, g_.real(0)})});
    const auto around = [&](const Value& x) {
      const Value values = unsqueeze(g_.node("Where", {usable, x, g_.real(0)}), {0, 1});
      const Value mean = g_.node(
          "AveragePool", {values},
          {{"count_include_pad", 1}, {"kernel_shape", Ints{2 * kReach + 1, 1}}, {"pads", Ints{kReach, 0, kReach, 0}}});
      return g_.node("Squeeze", {mean, g_.integers({0, 1})});
    };
    const Value light = around(lit_);
    const Value seen = g_.node("Greater", {light, g_.real(0)});
    const Value guess = g_.node("Where", {seen, divide(around(y_), light), g_.real(1)});
    return g_.node("Where", {usable, divide(y_, lit_), guess});
  }

  /// m²/(ΦΦᵀ), shifted back, of which half a band has 1 on the average.
  Value shares() {
    const Value enough = g_.node("Greater", {diagonal_, multiply(scale_, g_.real(static_cast<float>(kDark)))});
    const Value half = multiply(cast(scalar(bands_), kFloat), g_.real(0.5f));
    const Value inverse = g_.node("Where", {enough, divide(half, diagonal_), g_.real(0)});
    return multiply(squares_, shift_back(inverse));
  }

  // x + η·Φᵀ√w (√wΦΦᵀ√w + μ·scale)⁻¹ √w (y − Φx)

  Value data_step(const std::string& name, const Value& x) {
    const Value mu = multiply(g_.node("Exp", {weight(name + ".mu")}), scale_);
    const Value rest = multiply(subtract(y_, shift_and_sum(multiply(masks_, x))), roots_);
    const Value solved = multiply(solution(add(diagonal_, mu), rest), roots_);
    return add(x, multiply(multiply(masks_, shift_back(solved)), weight(name + ".eta")));
  }

  /// x[p + s], and x[p − s]; 0 from outside.
  Value shifted_up(const Value& x, const Value& s) {
    const Value zero = g_.integers({0});
    const Value longer = g_.node("Pad", {x, joined({zero, zero, s, zero})});
    return g_.node("Slice", {longer, s, add(columns_, s), zero});
  }
  Value shifted_down(const Value& x, const Value& s) {
    const Value zero = g_.integers({0});
    const Value longer = g_.node("Pad", {x, joined({s, zero, zero, zero})});
    return g_.node("Slice", {longer, zero, columns_, zero});
  }

  /// Cyclic reduction of a symmetric tridiagonal system a row, all pixels at once: in each round a pixel p is freed of
  /// those s before and behind it, which couples it to those 2s away in their place.
  ///
  ///   d[p] x[p] + c[p − s] x[p − s] + c[p] x[p + s] = r[p]
  ///
  /// Where bands lie on whole columns there is no round.
  Value solution(const Value& diagonal, const Value& rest) {
    const auto image = [&](const Value& x) {
      return OnnxGraph::State{x, kFloat, {"detector_width", "detector_height"}};
    };
    const Value more = g_.node("Less", {g_.integer(1), scalar(columns_)});
    const auto states = g_.loop(
        g_.node("And", {coupled_, more}), {image(diagonal), image(next_), image(rest), {g_.integers({1}), kInt64, {1}}},
        [&](const std::vector<Value>& state) {
          const Value &d = state[0], c = state[1], r = state[2], s = state[3];
          const Value behind = divide(c, d);  // of p, in the row of p + s
          const Value before = multiply(c, shifted_up(g_.node("Reciprocal", {d}), s));
          const auto freed = [&](const Value& own, const Value& part, const Value& other) {
            const Value less = subtract(own, shifted_down(multiply(behind, part), s));
            return subtract(less, multiply(before, other));
          };
          const Value twice = add(s, s);
          return OnnxGraph::Round{g_.node("Less", {scalar(twice), scalar(columns_)}),
                                  {freed(d, c, c), g_.node("Neg", {multiply(before, shifted_up(c, s))}),
                                   freed(r, r, shifted_up(r, s)), twice}};
        });
    return divide(states[2], states[0]);
  }

  // Between the camera's bands and the network's channels, as band_grid has it.

  /// [n]: 0 … 1, from the first to the last; 0.5 for a single one.
  Value even(const Value& n) {
    const Value last = cast(subtract(n, g_.integers({1})), kDouble);
    const Value places = divide(cast(range(n), kDouble), last);
    return g_.node("Where", {greater_than_0(last), places, g_.real64(0.5)});
  }

  /// [to, from]: the weights of values at `from`, rising, that interpolate at `to`.
  Value interpolation(const Value& from, const Value& count, const Value& to) {
    const Value reached = g_.node("LessOrEqual", {unsqueeze(from, {0}), unsqueeze(to, {1})});
    const Value above = g_.node("ReduceSum", {cast(reached, kInt64), g_.integers({1})}, {{"keepdims", 0}});
    const Value last = subtract(count, g_.integers({1}));
    const Value left = g_.node("Max", {subtract(above, g_.integers({1})), g_.integers({0})});
    const Value right = g_.node("Min", {above, last});
    const auto at = [&](const Value& index) { return g_.node("Gather", {from, index}, {{"axis", 0}}); };
    const Value distance = subtract(at(right), at(left));
    const Value share =
        g_.node("Where", {greater_than_0(distance), divide(subtract(to, at(left)), distance), g_.real64(0)});
    const auto put = [&](const Value& index, const Value& value) {
      const Value here = cast(g_.node("Equal", {unsqueeze(index, {1}), unsqueeze(range(count), {0})}), kDouble);
      return multiply(here, unsqueeze(value, {1}));
    };
    return add(put(left, subtract(g_.real64(1), share)), put(right, share));
  }

  void plan_resampling() {
    const Value positions = cast(positions_, kDouble);
    const Value first = slice(positions, 0, 0, 1);
    const Value reach = subtract(slice(positions, 0, -1, kEnd), first);
    const Value numbered = even(bands_);
    const Value camera = g_.node("Where", {greater_than_0(reach), divide(subtract(positions, first), reach), numbered});
    const Value count = g_.integers({c_.bands});
    const Value channels = even(count);
    // As many bands as channels, and even to a thousandth of their distance: nothing to interpolate.
    constexpr double kClose = 1e-3;
    const Value off = g_.node("ReduceMax", {g_.node("Abs", {subtract(camera, numbered)})}, {{"keepdims", 0}});
    const Value close = g_.node("Less", {off, g_.real64(kClose / c_.bands)});
    const Value same = g_.node("And", {close, g_.node("Equal", {scalar(bands_), g_.integer(c_.bands)})});
    const auto matrix = [&](const Value& from, const Value& from_count, const Value& to, const Value& to_count) {
      const Value one = g_.node("Equal", {unsqueeze(range(to_count), {1}), unsqueeze(range(from_count), {0})});
      const Value between = interpolation(from, from_count, to);
      return cast(g_.node("Where", {same, cast(one, kDouble), between}), kFloat);
    };
    to_channels_ = matrix(camera, bands_, channels, count);
    to_bands_ = matrix(channels, count, camera, bands_);
  }

  Value to_channels(const Value& x) {
    const Value mixed = g_.node("MatMul", {to_channels_, flat(x)});
    return g_.node("Reshape", {mixed, joined({g_.integers({1, c_.bands}), width_, height_})});
  }
  Value to_bands(const Value& channels) {
    const Value mixed = g_.node("MatMul", {to_bands_, reshape(channels, {c_.bands, -1})});
    return g_.node("Reshape", {mixed, joined({bands_, width_, height_})});
  }

  // The denoiser.

  /// Which columns and rows follow the frame, up to a multiple of kUnit.
  void plan_edges() {
    const auto beyond = [&](const Value& n) {
      const Value unit = g_.integers({kUnit});
      const Value wanted = multiply(divide(add(n, g_.integers({kUnit - 1})), unit), unit);
      const Value places = g_.node("Range", {scalar(n), scalar(wanted), g_.integer(1)});
      return reflected(places, n);
    };
    columns_beyond_ = beyond(width_);
    rows_beyond_ = beyond(height_);
  }
  Value padded(const Value& x) {
    const Value wide = joined({x, g_.node("Gather", {x, columns_beyond_}, {{"axis", 2}})}, 2);
    return joined({wide, g_.node("Gather", {wide, rows_beyond_}, {{"axis", 3}})}, 3);
  }
  Value cropped(const Value& x) {
    return g_.node("Slice", {x, g_.integers({0, 0}), joined({width_, height_}), g_.integers({2, 3})});
  }

  /// Rows of a kernel are columns.
  Value kernel(const std::string& name) {
    const NamedTensor& stored = tensor(name);
    const auto side = static_cast<std::size_t>(stored.shape[2]);
    FloatBuffer turned(stored.values.size());
    for (std::size_t k = 0; k < turned.size(); k += side * side) {
      for (std::size_t i = 0; i < side; ++i) {
        for (std::size_t j = 0; j < side; ++j) turned[k + j * side + i] = stored.values[k + i * side + j];
      }
    }
    return g_.weights(name, stored.shape, turned);
  }
  Value convolution(const std::string& name, const Value& x, std::int64_t pad, std::int64_t stride = 1) {
    return g_.node("Conv", {x, kernel(name + ".weight")},
                   {{"pads", Ints{pad, pad, pad, pad}}, {"strides", Ints{stride, stride}}});
  }
  /// x + W₂·GELU(W₁·x), `count` of them.
  Value blocks(const std::string& name, int count, Value x) {
    for (int i = 0; i < count; ++i) {
      const std::string block = fmt::format("{}.{}", name, i);
      x = add(x, convolution(block + ".1", gelu(convolution(block + ".0", x, 1)), 1));
    }
    return x;
  }

  /// The features of a stage, at the padded size.
  Value denoised(const std::string& name, const Value& inputs) {
    Value x = padded(convolution(name + ".input", inputs, 0));
    std::vector<Value> skips;
    for (int l = 0; l < kPrismLevels; ++l) {
      x = blocks(fmt::format("{}.down.{}", name, l), kPrismBlocksDown[static_cast<std::size_t>(l)], x);
      if (l + 1 == kPrismLevels) break;
      skips.push_back(x);
      x = convolution(fmt::format("{}.halve.{}", name, l), x, 1, 2);
    }
    for (int l = kPrismLevels - 2; l >= 0; --l) {
      const std::string twice = fmt::format("{}.double.{}", name, l);
      const Value larger =
          g_.node("ConvTranspose", {x, kernel(twice + ".weight"), weight(twice + ".bias")}, {{"strides", Ints{2, 2}}});
      x = add(larger, skips[static_cast<std::size_t>(l)]);
      x = blocks(fmt::format("{}.up.{}", name, l), kPrismBlocksUp[static_cast<std::size_t>(l)], x);
    }
    return x;
  }

  static constexpr std::int64_t kEnd = std::int64_t{1} << 40;

  Value columns_, height_, width_, bands_;  ///< of detector, of both, of the mask; sizes
  Value falling_, detector_order_, order_;  ///< whether the camera is mirrored, and what becomes of columns
  Value positions_, y_, w_, roots_, masks_, squares_;
  Value taps_, coupled_, back_, forth_, tap_shares_, back_shares_, couplings_;
  Value lit_, brightness_, diagonal_, next_, scale_, darkest_;
  Value to_channels_, to_bands_;
  Value columns_beyond_, rows_beyond_;
};

}  // namespace

std::string prism_onnx(const Weights& weights, const std::string& source) {
  check_weights(weights, source);
  return PrismExporter(weights).run(find_prism_form(weights.config.variant)->stages);
}

}  // namespace snapcube
