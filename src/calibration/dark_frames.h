#pragma once
// What a detector counts without light.

#include <snapcube/array.h>

namespace snapcube {

struct DarkFinding {
  Image mean;
  double black_level = 0;  ///< median of the mean
  double noise = 0;        ///< deviation of a pixel from frame to frame, counts; 0: one frame does not tell
  double spread = 0;       ///< deviation from pixel to pixel of the mean
  bool pattern = false;    ///< the spread is more than the noise that is left in the mean
  Image hot;               ///< 1: brighter in the dark, or noisier, than its like
  int hot_count = 0;
  int frames = 0;
};

/// Welford's sums over frames.
class DarkFrames {
 public:
  void add(const Image& counts);
  int frames() const { return frames_; }
  DarkFinding finding() const;

 private:
  int frames_ = 0;
  Image mean_;
  Image squares_;  ///< Σ (v − mean)²
};

}  // namespace snapcube
