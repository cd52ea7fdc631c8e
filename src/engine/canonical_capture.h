#pragma once
// A measurement and its camera as Prism sees them: dispersed along the columns, the first band to the left. Other
// cameras are turned or mirrored on the way in, and the cube on the way out.

#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>

#include "engine/memory.h"
#include "optics/dispersed_row.h"

namespace snapcube::engine {

class CanonicalCapture {
 public:
  /// Takes no new memory where the camera has the sizes of the one before. The measurement is weighed (Camera::weigh)
  /// and has the detector's size.
  void take(const ImageView& measurement, const Camera& camera);

  int height() const { return height_; }
  int width() const { return dispersion_.width(); }
  int detector_width() const { return dispersion_.detector_width(); }
  int bands() const { return dispersion_.bands(); }
  const Dispersion& dispersion() const { return dispersion_; }
  /// Of the bands, rising.
  const std::vector<double>& positions() const { return positions_; }

  /// y in units of brightness().
  const float* measurement(int y) const { return row(measurement_, y); }
  /// √w, 1 where there are no weights: null.
  const float* roots(int y) const { return weighted_ ? row(roots_, y) : nullptr; }
  /// √wΦΦᵀ√w of a row; `next` is null where it is diagonal.
  const float* diagonal(int y) const { return row(diagonal_, y); }
  const float* next(int y) const { return dispersion_.is_whole() ? nullptr : row(next_, y); }
  /// level_row of the measurement.
  const float* level(int y) const { return row(level_, y); }
  ConstRow masks(int y) const {
    return {masks_.data() + static_cast<std::size_t>(y) * mask_row_,
            plain_ ? 0 : mask_row_ * static_cast<std::size_t>(height_)};
  }

  /// Σwy / ΣwΦ1, or 1 for a dark frame.
  double brightness() const { return brightness_; }
  /// Mean of the diagonal where it is not 0.
  double scale() const { return scale_; }

  /// Puts a row of a band of the result where it belongs; `out` has the camera's sizes and order of bands.
  void put(int band, int y, const float* values, const CubeView& out) const;
  void put(int y, const float* values, Image& out) const;

  std::size_t bytes() const;

 private:
  float* row(const Memory& memory, int y) const {
    return memory.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(detector_width());
  }
  void place_bands(const Camera& camera);
  void read(const ImageView& measurement, const Camera& camera);
  void solve_units();

  bool transposed_ = false;
  bool mirrored_ = false;
  bool plain_ = true;
  bool weighted_ = false;
  int height_ = 0;
  Dispersion dispersion_{{}, 0};
  std::vector<double> positions_;
  std::vector<int> order_;  ///< band of the camera at each of ours
  std::size_t mask_row_ = 0;
  std::vector<float> ones_;
  Memory measurement_, roots_, diagonal_, next_, level_, flat_, masks_;
  double brightness_ = 1;
  double scale_ = 1;
};

}  // namespace snapcube::engine
