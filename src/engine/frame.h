#pragma once
// A measurement as the network sees it: shifted back, scaled, reflected beyond its edges.

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/view.h>

#include "models/model_config.h"

namespace snapcube::engine {

class Frame {
 public:
  /// Keeps references. The measurement must have the camera's detector size, and plain rows.
  Frame(const ImageView& measurement, const Camera& camera, MeasurementScale scale);

  const Camera& camera() const { return camera_; }
  int height() const { return camera_.height(); }
  int width() const { return camera_.width(); }
  int bands() const { return camera_.bands(); }

  /// Row y, columns x … x + count − 1, of every band: to[b·pitch + i]. Coordinates go on beyond the frame by
  /// reflection, the edge not repeated.
  void read_row(int y, int x, int count, float* to, std::size_t pitch) const;
  /// The same of the mask.
  void read_mask_row(int y, int x, int count, float* to) const;

 private:
  ImageView measurement_;
  const Camera& camera_;
  float scale_;
};

/// at ≥ 0 in 0 … n−1, going back and forth.
inline int reflected(int at, int n) {
  if (at < n) return at;
  if (n == 1) return 0;
  const int period = 2 * (n - 1);
  const int phase = at % period;
  return phase < n ? phase : period - phase;
}

}  // namespace snapcube::engine
