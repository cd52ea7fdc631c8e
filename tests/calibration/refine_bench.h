#pragma once
// A bench with a known drift: an aperture of square holes, finer than the detector's pixels, in front of a scene.

#include <cmath>
#include <numbers>
#include <vector>

#include <snapcube/snapcube.h>

#include "calibration/refine_camera.h"

namespace snapcube::testing {

/// The aperture as it is, beyond the mask's edges too, and what a detector sees of it: the mean over each pixel of
/// kFine × kFine places. Nothing is interpolated, so that the mask does not move by the formula under test.
class RefineBench {
 public:
  static constexpr int kPad = 8;
  static constexpr int kFine = 7;

  RefineBench(int height, int width, int bands, std::uint64_t seed)
      : height_(height),
        width_(width),
        bands_(bands),
        aperture_(random_mask(height + 2 * kPad, width + 2 * kPad, MaskKind::binary, 0.5, seed)) {}

  std::vector<double> wavelengths() const { return even_wavelengths(450, 200.0 / (bands_ - 1), bands_); }
  Cube scene(const std::string& kind, std::uint64_t seed = 1) const {
    return make_scene(kind, {.height = height_, .width = width_, .wavelengths = wavelengths(), .seed = seed});
  }

  /// As it was calibrated, without drift: one mask, two pixels from band to band.
  CameraFile calibrated() const {
    CameraFile camera;
    camera.mask = mask_seen(Drift{}, 0, 0);
    camera.wavelengths = wavelengths();
    for (int b = 0; b < bands_; ++b) camera.positions.push_back(2.0 * b);
    return camera;
  }
  /// The camera with its drift as far as a mask moved exactly tells it: without slope and angle.
  CameraFile moved(const Drift& drift) const {
    CameraFile camera = calibrated();
    camera.mask = mask_seen(drift, 0, 0);
    return camera;
  }

  /// What the drifted camera measures. Bands fall between pixels; the scene itself is taken at the nearest one.
  Image capture(const Cube& scene, const Drift& drift) const {
    const CameraFile camera = calibrated();
    const Camera device = camera.camera();
    const DriftedPositions places = drifted_positions(camera.positions, drift);
    Image y(device.detector_height(), device.detector_width());
    for (int b = 0; b < bands_; ++b) {
      const double along = places.along[static_cast<std::size_t>(b)];
      const int whole = static_cast<int>(std::lround(along));
      const Image mask = mask_seen(drift, places.across[static_cast<std::size_t>(b)], along - whole);
      for (int r = 0; r < height_; ++r) {
        for (int c = 0; c < width_; ++c) {
          const int column = c + whole;
          if (column >= 0 && column < y.width()) y(r, column) += mask(r, c) * scene(b, r, c);
        }
      }
    }
    return y;
  }

  Image mask_seen(const Drift& drift, double down, double right) const {
    const double turn = drift.turn * std::numbers::pi / 180;
    const double middle_row = (height_ - 1) / 2.0;
    const double middle_column = (width_ - 1) / 2.0;
    Image mask(height_, width_);
    for (int r = 0; r < height_; ++r) {
      for (int c = 0; c < width_; ++c) {
        int open = 0;
        for (int i = 0; i < kFine * kFine; ++i) {
          const double y = r - middle_row - drift.down - down + (0.5 + i / kFine) / kFine - 0.5;
          const double x = c - middle_column - drift.right - right + (0.5 + i % kFine) / kFine - 0.5;
          const double row = middle_row + std::cos(turn) * y - std::sin(turn) * x;
          const double column = middle_column + std::sin(turn) * y + std::cos(turn) * x;
          open += aperture_(static_cast<int>(std::floor(row + 0.5)) + kPad,
                            static_cast<int>(std::floor(column + 0.5)) + kPad) > 0
                      ? 1
                      : 0;
        }
        mask(r, c) = static_cast<float>(open) / (kFine * kFine);
      }
    }
    if (drift.blur != 0) mask = blurred_mask(mask, drift.blur);
    const MaskContrast contrast = contrast_of(mask, drift.contrast);
    for (float& v : mask.values()) v = contrast.factor * v + contrast.offset;
    return mask;
  }

 private:
  int height_;
  int width_;
  int bands_;
  Image aperture_;
};

}  // namespace snapcube::testing
