#pragma once
// CST (figure 3 of the paper), from a weights file to a cube: the same network as nets/cst.h, executed by kernels/.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/estimator.h"
#include "engine/frame.h"
#include "engine/layer_clock.h"
#include "engine/sah_attention.h"
#include "engine/screening.h"

namespace snapcube::engine {

/// Spectra-aware hashing attention block.
struct Sahab {
  Sahab(const ModelConfig& config, int stage, bool shifted, const TensorsOf& tensors);
  std::optional<SahAttention> attention;
  Expansion feed_forward;
  int shift;  ///< of the windows, in pixels
};

/// Where of a frame a network run works, and what it takes over from the whole. Coordinates as in Frame::read_row.
struct Tile {
  int top = 0;
  int left = 0;
  int height = 0;  ///< usable sizes
  int width = 0;
  /// Windows that attention keeps, for every block in the order of the network; null: screened here.
  const std::vector<std::vector<int>>* windows = nullptr;
};

class CstNetwork {
 public:
  /// The weights must have passed check_weights.
  explicit CstNetwork(const Weights& weights);

  const ModelConfig& config() const { return config_; }
  /// Changes σ. Throws InputError when the network does not screen by a share, or when the value does not fit.
  void set_sparsity(double sparsity);

  /// Plans the memory for tiles of this size, unless it is planned already.
  void prepare(int height, int width, int threads);
  std::size_t planned_bytes() const;
  /// What prepare() would plan, roughly: exact but for the workspaces.
  std::size_t bytes_for(int height, int width) const;

  /// The network on the tile; rows and columns of `out` (bands × its height × its width, from the tile's corner on) are
  /// filled. The tile must have the planned size.
  void run(const Frame& frame, const Tile& tile, const CubeView& out);
  /// Only the estimators: fills error_map().
  void run_estimators(const Frame& frame, const Tile& tile);
  /// Only estimator i down to its bottleneck: fills pooled(i). The ones before it run as a whole.
  void run_to_means(const Frame& frame, const Tile& tile, int estimator);

  /// M_s of the last run, of the planned size; empty without one.
  const Plane& error_map() const { return masks_[0]; }
  PooledView& pooled(int estimator) { return pooled_[static_cast<std::size_t>(estimator)]; }
  /// The windows that each block's attention worked on in the last run.
  const std::vector<std::vector<int>>& windows() const { return windows_; }
  /// Stage (0, 1, 2) and shift of every block, in the order of the network.
  struct BlockPlace {
    int stage;
    int shift;
  };
  std::vector<BlockPlace> block_places() const;

  void set_profile(Profile* profile) { clock_.set_profile(profile); }
  void set_progress(std::function<void(double)> progress) { clock_.set_progress(std::move(progress)); }

 private:
  struct PingPong {
    Map current;
    Map other;
  };
  void fuse(const Frame& frame, const Tile& tile);
  void estimate();
  void take_error_map();
  PingPong run_blocks(const std::vector<Sahab>& blocks, const char* name, int stage, PingPong maps, const Tile& tile);
  void project(const Map& feature, const CubeView& out);
  EstimatorMaps estimator_maps() const;

  ModelConfig config_;
  Packed fution_;
  std::vector<Estimator> estimators_;
  std::vector<Sahab> encoder_[2], bottleneck_, decoder_[2];
  std::vector<Downsampling> down_;
  std::vector<Upsampling> up_;
  Packed out_proj_;

  FrameSize planned_{0, 0};
  Team team_;
  MapStorage base_;        ///< X, the initialised feature, which the result is added to
  MapStorage full_[2];     ///< B channels, and the error map's
  MapStorage half_[2];     ///< 2B channels
  MapStorage quarter_[2];  ///< 4B channels
  Plane masks_[3];         ///< M_s at the three resolutions
  std::vector<PooledView> pooled_;
  std::vector<std::vector<int>> windows_;
  WindowScores scores_;
  std::size_t block_ = 0;  ///< of the run under way
  LayerClock clock_;
};

}  // namespace snapcube::engine
