#pragma once
// MST, the mask-guided spectral-wise Transformer, from a weights file to a cube.

#include <functional>
#include <vector>

#include "engine/expansion.h"
#include "engine/frame.h"
#include "engine/layer_clock.h"
#include "engine/mst_attention.h"
#include "engine/mst_mask.h"

namespace snapcube::engine {

struct Msab {
  Msab(int channels, int heads, const TensorsOf& tensors);
  MaskGuide guide;
  SpectralAttention attention;
  Expansion feed_forward;
};

class MstNetwork {
 public:
  /// The weights must have passed check_weights, and be one of MST's.
  explicit MstNetwork(const Weights& weights);

  const ModelConfig& config() const { return config_; }

  /// What the mask gives every block is computed once and kept, or computed anew for every frame.
  enum class Guides { kept, anew };

  /// Plans the memory for this camera's frames and computes what depends on its mask, unless all that is there already.
  void prepare(const Camera& camera, int threads, Guides guides = Guides::kept);
  std::size_t planned_bytes() const;
  /// What prepare() plans at most, roughly: exact but for the workspaces.
  std::size_t bytes_for(const Camera& camera, Guides guides) const;

  /// Fills `out` (bands × height × width). The frame's camera must be the one of prepare().
  void run(const Frame& frame, const CubeView& out);

  void set_profile(Profile* profile) { clock_.set_profile(profile); }
  void set_progress(std::function<void(double)> progress) { clock_.set_progress(std::move(progress)); }

 private:
  struct PingPong {
    Map current;
    Map other;
  };
  /// What the shifted masks and the guides were computed from.
  struct MaskKey {
    Image mask;
    std::vector<double> offsets;
    Axis axis = Axis::columns;
    bool is(const Camera& camera) const;
  };
  /// f(block, its stage, its index among all) for all of them, in the order of the network.
  template <typename F>
  void each_block(const F& f) const;
  void plan_maps(const FrameSize& usable);
  void plan_workspaces(int threads);
  void take_masks(const Camera& camera);
  void embed(const Frame& frame);
  void run_blocks(const std::vector<Msab>& blocks, const char* name, int stage, const PingPong& maps);
  PingPong join(int layer, const Map& below, const PingPong& maps);
  void project(const Map& feature, const CubeView& out);

  ModelConfig config_;
  Packed embedding_;
  std::vector<Msab> encoder_[2], bottleneck_, decoder_[2];
  std::vector<Downsampling> down_;
  std::vector<Downsampling> mask_down_;
  std::vector<Upsampling> up_;  ///< with the first half of the 1×1 convolution that follows
  std::vector<Packed> skip_;    ///< its second half
  Packed mapping_;

  FrameSize planned_{0, 0};
  Guides guides_kept_ = Guides::kept;
  Team team_;
  MapStorage base_;        ///< the shifted measurement, which the result is added to
  MapStorage full_[2];     ///< B channels
  MapStorage half_[2];     ///< 2B channels
  MapStorage quarter_[2];  ///< 4B channels
  SpectralRoom room_;
  MaskKey key_;
  MaskPlace places_[3];
  MapStorage masks_[3];             ///< shifted, at the three resolutions; only for guides computed anew
  std::vector<MapStorage> guides_;  ///< of every block; only where they are kept
  std::size_t block_ = 0;           ///< of the run under way
  LayerClock clock_;
};

}  // namespace snapcube::engine
