#pragma once
// Prism, for any camera, from a weights file to a cube (docs/prism.md).

#include <functional>
#include <vector>

#include "engine/canonical_capture.h"
#include "engine/convolution.h"
#include "engine/layer_clock.h"
#include "engine/winograd.h"
#include "optics/band_grid.h"

namespace snapcube::engine {

/// x + W₂·GELU(W₁·x), both 3×3.
struct PrismBlock {
  WinogradConvolution inner;
  WinogradConvolution outer;
};

struct PrismStage {
  PrismStage(const TensorsOf& tensors, int inputs);
  int inputs;  ///< maps that the denoiser sees
  float eta;
  float mu;  ///< as a part of the capture's scale
  Packed input;
  std::vector<std::vector<PrismBlock>> down;
  std::vector<std::vector<PrismBlock>> up;
  std::vector<Downsampling> halve;
  std::vector<Upsampling> twice;
  WinogradConvolution output;
};

class PrismNetwork {
 public:
  /// The weights must have passed check_weights, and be one of Prism's.
  explicit PrismNetwork(const Weights& weights);

  const ModelConfig& config() const { return config_; }

  /// The bytes of a run on slabs of `rows` rows, roughly; without what a capture needs by itself.
  std::size_t bytes_for(int rows, int width, int bands) const;
  std::size_t planned_bytes() const;

  /// Fills `out`, and `error` where it is not null: what the network expects the mean absolute error over the bands to
  /// be. Frames that are higher than `most_rows` go in slabs of that many rows, which overlap.
  void run(const CanonicalCapture& capture, int threads, int most_rows, const CubeView& out, Image* error);

  void set_profile(Profile* profile) { clock_.set_profile(profile); }
  void set_progress(std::function<void(double)> progress) { clock_.set_progress(std::move(progress)); }

  /// Rows that two slabs share at least; of the part that both have, each gives half.
  static constexpr int kOverlap = 192;

 private:
  void prepare(const CanonicalCapture& capture, int rows, int threads);
  /// Rows first … first + rows − 1, of which keep_first … keep_last − 1 are put into the result.
  void run_slab(const CanonicalCapture& capture, int first, int rows, int keep_first, int keep_last,
                const CubeView& out, Image* error);
  void begin(const CanonicalCapture& capture, int first, int rows);
  void enter(const PrismStage& stage, const CanonicalCapture& capture, int first, int rows);
  void run_blocks(const std::vector<PrismBlock>& blocks, const Map& map, const Map& other);
  void leave(const PrismStage& stage);
  void put(const CanonicalCapture& capture, int first, int keep_first, int keep_last, const CubeView& out,
           Image* error);
  void reflect_edges(const Map& map, int rows, int width);
  std::size_t scratch(int width, int detector_width, int bands) const;

  ModelConfig config_;
  std::vector<PrismStage> stages_;
  Packed error_;
  float error_bias_ = 0;

  BandGrid grid_;
  std::vector<double> grid_positions_;
  Packed to_channels_, to_bands_;
  Team team_;
  int planned_rows_ = 0, planned_width_ = 0, planned_bands_ = 0;
  MapStorage cube_;  ///< x, of the camera's bands
  MapStorage levels_[3][2];
  LayerClock clock_;
};

}  // namespace snapcube::engine
