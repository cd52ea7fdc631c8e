#pragma once
/// A CASSI camera: a coded aperture, then a disperser, then a detector that sums all bands.
///
///   y[p] = √w[p] · Σ_b  shift_{o_b}( mask_b · x[b] )[p]
///
/// x is a cube of H × W bands (the mask's size); the detector is longer than the mask along the dispersion
/// axis by the span of the offsets o_b. Everything works for any size, any band count and any offsets.
///
/// Plain cameras have one mask for all bands, and no weights (w = 1). Weights tell what a detector pixel is worth:
/// 0 for one that is dead, saturated or outside, so that ‖√w·y − Φx‖² does not ask the cube to explain it.
///
/// Thread safety: several threads may use one camera; a thread that calls set_weights() must be alone with it.

#include <string>
#include <utility>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/view.h>

namespace snapcube {

/// The direction in which the disperser moves the bands.
enum class Axis { columns, rows };

struct CameraOptions {
  int bands = 28;
  /// Pixels from one band to the next; either sign, 0 too. Ignored when offsets are given.
  int step = 2;
  Axis axis = Axis::columns;
  /// Measured position of each band on the detector, in pixels (prisms are not linear). Fractions are
  /// split between the two nearest pixels. Only differences count: the smallest becomes 0.
  std::vector<double> offsets = {};
  /// Centre of each band in nm; empty: the published ones for 28 bands, unknown otherwise.
  std::vector<double> wavelengths = {};
};

class Camera {
 public:
  /// Throws InputError for a mask that is empty, negative or not finite, and for offsets or wavelengths
  /// whose number is not that of the bands.
  explicit Camera(Image mask, CameraOptions options = {});
  /// A mask in the caller's memory, copied once.
  explicit Camera(const ImageView& mask, CameraOptions options = {}) : Camera(Image(mask), std::move(options)) {}
  /// A mask for each band, as calibrations measure them. Their number is that of the bands, whatever the options say;
  /// wavelengths that the options do not have are those of the cube.
  explicit Camera(Cube masks, CameraOptions options = {});

  /// The mask; of masks per band their mean, the plain mask nearest to them all (least squares), for methods that know
  /// one mask only.
  const Image& mask() const { return mask_; }
  /// One mask serves all bands.
  bool plain() const { return masks_.empty(); }
  /// The mask of one band; of a plain camera mask().
  Image mask(int band) const;
  const float* mask_row(int band, int y) const { return plain() ? mask_.row(y) : masks_.row(band, y); }
  /// The masks per band; empty for a plain camera.
  const Cube& masks() const { return masks_; }

  /// What each detector pixel is worth, from 0 to any number; an empty image: all the same. Throws InputError for
  /// another size than the detector's, and for weights that are negative, not finite or all 0. Takes no new memory from
  /// the second frame on, since what is saturated differs from frame to frame.
  void set_weights(const Image& weights);
  bool weighted() const { return !root_weights_.empty(); }
  /// √w; empty without weights.
  const Image& root_weights() const { return root_weights_; }
  /// y ← √w·y: what forward() of a cube is compared with. Reconstructor and misfit() do it themselves.
  void weigh(Image& y) const;

  int bands() const { return static_cast<int>(shifts_.size()); }
  int height() const { return mask_.height(); }
  int width() const { return mask_.width(); }
  int detector_height() const { return detector_height_; }
  int detector_width() const { return detector_width_; }
  Axis axis() const { return axis_; }
  /// Offset of each band from the detector's origin, smallest 0.
  std::vector<double> offsets() const;
  /// That of one band.
  double offset(int band) const {
    const Shift& s = shifts_[static_cast<std::size_t>(band)];
    return s.whole + static_cast<double>(s.fraction);
  }
  const std::vector<double>& wavelengths() const { return wavelengths_; }
  /// Whether the bands lie at the same places as another camera's.
  bool same_positions(const Camera& other) const;

  /// y = Φx: modulate, shift, sum, times √w.
  void forward(const Cube& x, Image& y) const;
  Image forward(const Cube& x) const;
  /// x = Φᵀy: times √w, shift back, modulate.
  void adjoint(const Image& y, Cube& x) const;
  Cube adjoint(const Image& y) const;
  /// x = Sᵀy: shift back without mask and weights; what networks take as their input.
  void shift_back(const Image& y, Cube& x) const;
  Cube shift_back(const Image& y) const;
  /// y = Sx: shift and sum without mask and weights; the adjoint of shift_back.
  void shift_sum(const Cube& x, Image& y) const;
  Image shift_sum(const Cube& x) const;

  /// The diagonal of ΦΦᵀ on the detector. With whole-pixel offsets ΦΦᵀ is diagonal.
  Image diagonal() const;
  /// What ΦΦᵀ has between a detector pixel and the next one along the dispersion axis (0 at the last): with fractions
  /// of a pixel ΦΦᵀ is tridiagonal, and this is all that it has beside its diagonal.
  Image off_diagonal() const;
  /// The row sums of ΦΦᵀ: a diagonal that bounds it from above, and equals it for whole-pixel offsets.
  Image row_sums() const;

  /// The part of a measurement that a cube does not explain, whatever the units of either, from 0 to 1:
  /// ‖y − a·Φx‖/‖y‖ with the best a, over pixels as they are weighed. Noise leaves some hundredths; a wrong mask, or a
  /// wrong cube, more. NaN for a black measurement.
  double misfit(const Cube& x, const Image& y) const;

  /// Throws InputError unless the measurement has the detector's size; the message names both.
  void check_measurement(const ImageView& y, const std::string& source) const;

 private:
  /// Band position: `whole` pixels plus `fraction` in [0,1).
  struct Shift {
    int whole;
    float fraction;
    bool operator==(const Shift&) const = default;
  };
  void place_bands(CameraOptions options);
  void check(const Cube& x, const Image& y) const;
  void sum_bands(const Cube& x, Image& y, bool masked) const;
  void spread_bands(const Image& y, Cube& x, bool masked) const;

  Image mask_;
  Cube masks_;          ///< empty: mask_ is that of every band
  Image root_weights_;  ///< √w; empty: 1 everywhere
  Axis axis_;
  std::vector<Shift> shifts_;
  std::vector<double> wavelengths_;
  int detector_height_;
  int detector_width_;
};

}  // namespace snapcube
