#pragma once
// The configuration of a network: everything that a weights file says beside its tensors. Both executions of the
// network (nets/ and engine/) are built from it.

#include <array>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace snapcube {

/// Which windows attention works on.
enum class Screening {
  none,       ///< all
  estimator,  ///< the k of highest score in the sparsity mask M_s
  random,     ///< k drawn at random: anew at every call in training, from the seed in inference
  uniform,    ///< every other one, in a checkerboard
};
/// Among which tokens similar ones are looked for.
enum class Scope { local, global };
/// Which tokens attend to which. All but `none` and `sah` are there for comparison (docs/ablations.md): they work on
/// every window, and only libtorch runs them.
enum class Attention {
  none,
  sah,       ///< SAH-MSA: those of a window that hash alike
  global,    ///< G-MSA: all, on a map reduced to a quarter of its height and width
  window,    ///< W-MSA: those of a window
  shifted,   ///< Swin-MSA: the same, in every other block through windows shifted by half of one
  spectral,  ///< S-MSA: channels attend to channels, over all pixels
};
/// "sah", as configurations write it.
std::string text(Attention attention);
/// How a measurement is scaled before the network; never guessed.
enum class MeasurementScale {
  sum,  ///< the plain sum over bands; the network sees y·2/bands
  max,  ///< a capture in arbitrary units, scaled to a maximum of 0.8, seen as it is
};

/// Of CST every part can be chosen. The other networks (models/networks.h) are what their name, `variant`, says; of the
/// fields only bands, step, scale and wavelengths are theirs.
struct ModelConfig {
  std::string variant = "cst-s";
  int bands = 28;
  /// Blocks at full, half and quarter resolution (N₁, N₂, N₃).
  std::array<int, 3> blocks = {1, 1, 2};
  /// Sparsity estimators in sequence.
  int estimators = 1;
  Screening screening = Screening::estimator;
  double sparsity = 0.5;   ///< σ: the share of windows that is screened out
  int window = 16;         ///< M
  int bucket = 64;         ///< m
  int rounds = 2;          ///< R
  double loss_weight = 2;  ///< λ
  Attention attention = Attention::sah;
  Scope scope = Scope::local;
  bool hash_floor = false;    ///< floor the hash code, as in the paper's text
  bool scale_logits = false;  ///< divide q·k by √d, as in the paper's text
  bool mask_input = true;     ///< the mask enters beside the measurement
  int step = 2;
  MeasurementScale scale = MeasurementScale::sum;
  std::vector<double> wavelengths = {};
  /// Whether passes with error feedback help it and it knows any exposure: `snapcube models --check-feedback` measures.
  bool feedback = false;

  bool operator==(const ModelConfig&) const = default;

  /// Channels at stage 0, 1, 2.
  int channels(int stage) const { return bands << stage; }
  int heads(int stage) const;
  /// Channels of q, k and v, all heads together.
  int inner(int stage) const;
  /// Attention that is here for comparison: on every window, in libtorch alone.
  bool has_other_attention() const { return attention != Attention::none && attention != Attention::sah; }
  bool has_error_map() const { return estimators > 0 && screening == Screening::estimator; }
  /// Windows that attention keeps out of `windows`.
  int kept_windows(int windows) const;
  /// Height and width must be multiples of this inside the network.
  int size_multiple() const { return 4 * (attention == Attention::global ? kReduction : window); }

  /// Of height and width, before attention of all with all.
  static constexpr int kReduction = 4;
};

/// cst-s, cst-m, cst-l, cst-l-star. Throws InputError for any other name.
ModelConfig cst_variant(std::string_view name);
const std::vector<std::string>& cst_variant_names();

/// Throws InputError with the reason when no network can be built from it; `source` is where it comes from.
void check(const ModelConfig& config, const std::string& source = "configuration");

/// The smallest size ≥ the given one that the network can work on.
struct FrameSize {
  int height;
  int width;
};
FrameSize usable_size(const ModelConfig& config, int height, int width);

/// The JSON of a weights file's metadata. from_json throws InputError for unknown keys, wrong types and values.
nlohmann::ordered_json to_json(const ModelConfig& config);
ModelConfig model_config_from_json(const nlohmann::json& json, const std::string& source);
/// Sets one key; false when there is no such key or the type or word does not fit. Ranges are check()'s.
bool assign(ModelConfig& config, const std::string& key, const nlohmann::json& value);

}  // namespace snapcube
