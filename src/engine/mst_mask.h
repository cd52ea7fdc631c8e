#pragma once
// What MST makes of the camera's mask. It depends on the camera and the weights alone: one mask serves many frames.

#include <vector>

#include <snapcube/camera.h>

#include "engine/convolution.h"
#include "models/model_config.h"

namespace snapcube::engine {

/// Where the network's maps lie on the detector, at one of its three resolutions.
struct MaskPlace {
  FrameSize size;           ///< of the shifted masks
  Axis axis;                ///< along which they are larger than the feature
  std::vector<int> shifts;  ///< of each channel: it is that far from the feature's place
};

/// The place at stage 0, 1, 2, of a frame whose usable size is given.
///
/// Published, for band b at 2b: channel c of stage i is shifted by floor(2c/4^i). There are 2^i channels to a band, so
/// channel c lies at band c/2^i, and pixels are 2^i wide: that is floor(o(c/2^i)/2^i) with o the bands' offsets, linear
/// between bands and beyond the last. In this form it holds for every camera. Bands that lie the other way
/// round are counted from the last. What would leave the map (step 4 at half resolution does, by one pixel) ends at its
/// edge. nets/mst.cpp has the same rule for whole steps.
MaskPlace mask_place(const Camera& camera, const FrameSize& usable, int stage);

/// Φ: the mask, reflected to the usable size, where each band sees it on the detector.
void fill_shifted_masks(const Camera& camera, const FrameSize& usable, const Map& out, Team& team);

/// The mask's branch of one attention: m = W₁Φ + b₁, m·(1 + σ(5×5(W₂m + b₂))), shifted back.
class MaskGuide {
 public:
  explicit MaskGuide(const TensorsOf& tensors);
  /// out has the feature's size.
  void run(const Map& masks, const MaskPlace& place, const Map& out, Team& team) const;
  std::size_t scratch(int width) const;

 private:
  Packed first_;
  Packed second_;
  FloatBuffer first_bias_;
  FloatBuffer second_bias_;
  FloatBuffer depthwise_;
  FloatBuffer depthwise_bias_;
};

}  // namespace snapcube::engine
