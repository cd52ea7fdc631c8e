#pragma once
// The sparsity estimator (section 3.2 of the paper): a small U-net with an ASPP bottleneck.

#include <vector>

#include "engine/convolution.h"
#include "engine/expansion.h"

namespace snapcube::engine {

/// Maps that an estimator works in.
struct EstimatorMaps {
  Map full;        ///< B channels
  Map half[2];     ///< 2B channels, half the resolution
  Map quarter[2];  ///< 4B channels, a quarter
};

/// The pooled view of the bottleneck, which is the same at every pixel.
struct PooledView {
  std::vector<float> means;      ///< of every channel over the frame
  bool given = false;            ///< means are those of a larger frame; else they are computed
  Region part;                   ///< of the bottleneck's map that is summed; of no height: all
  std::vector<double> sums;      ///< of every channel over that part
  std::vector<double> row_sums;  ///< [row][channel]
  std::vector<float> values;
  std::vector<float> bias;  ///< what it adds to the projection
};

class Estimator {
 public:
  /// tensors: those below "fe." or "fe.0.".
  Estimator(int channels, const TensorsOf& tensors);

  /// out may be in: it is written when the input is no longer needed. Both have other memory than the maps, and out has
  /// outputs() channels.
  void run(const Map& in, const EstimatorMaps& maps, const Map& out, PooledView& pooled, Team& team) const;
  /// Only down to the bottleneck, for the means.
  void run_to_means(const Map& in, const EstimatorMaps& maps, PooledView& pooled, Team& team) const;
  int outputs() const { return out_conv_.outputs; }
  std::size_t scratch(int width) const;

 private:
  void encode(const Map& in, const EstimatorMaps& maps, Team& team) const;
  void average(const Map& in, PooledView& pooled, Team& team) const;
  void pyramid(const Map& in, const Map& out, PooledView& pooled, Team& team) const;

  Packed in_proj_;
  Expansion encoder_[2];
  Packed dilated_[2];
  FloatBuffer pooled_;        ///< [4B][4B]
  FloatBuffer pooled_share_;  ///< of the projection: [4B][4B]
  Packed project_;            ///< of the two dilated views
  Upsampling up_[2];
  Expansion decoder_[2];
  Packed out_conv_;
};

}  // namespace snapcube::engine
