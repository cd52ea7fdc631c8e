#pragma once
// A bench with a known drift: an aperture of square holes, finer than the detector's pixels, in front of a scene.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <snapcube/snapcube.h>

#include "calibration/refine_camera.h"

namespace snapcube::testing {

/// A scene that is kFine times finer than the detector's pixels, behind an aperture of square holes; the detector adds
/// up what passes at kParts × kParts places of each pixel. Nothing is interpolated, so that neither mask nor bands move
/// by the formulas under test. What comes in from beyond the mask's edges is not what lies at them.
class RefineBench {
 public:
  static constexpr int kPad = 8;
  static constexpr int kFine = 4;
  static constexpr int kParts = 8;

  RefineBench(int height, int width, int bands, const std::string& kind, std::uint64_t seed = 3)
      : height_(height),
        width_(width),
        bands_(bands),
        aperture_(random_mask(height + 2 * kPad, width + 2 * kPad, MaskKind::binary, 0.5, seed)),
        scene_(make_scene(
            kind, {.height = height * kFine, .width = width * kFine, .wavelengths = wavelengths(), .seed = seed})) {}

  std::vector<double> wavelengths() const { return even_wavelengths(450, 200.0 / (bands_ - 1), bands_); }
  /// The scene in the detector's pixels.
  Cube truth() const {
    Cube cube(bands_, height_, width_);
    cube.wavelengths = wavelengths();
    for (int b = 0; b < bands_; ++b) {
      for (int r = 0; r < height_ * kFine; ++r) {
        for (int c = 0; c < width_ * kFine; ++c) cube(b, r / kFine, c / kFine) += scene_(b, r, c) / (kFine * kFine);
      }
    }
    return cube;
  }

  /// As it was calibrated, without drift: one mask, two pixels from band to band.
  CameraFile calibrated() const { return with_mask(Drift{}); }
  /// The camera with the mask that its detector would show in even light.
  CameraFile with_mask(const Drift& drift) const {
    CameraFile camera;
    camera.mask = Image(height_, width_);
    for (int r = 0; r < height_; ++r) {
      for (int c = 0; c < width_; ++c) {
        for (int i = 0; i < kParts * kParts; ++i) {
          camera.mask(r, c) += open(r + part(i / kParts), c + part(i % kParts), drift, 0, 0) / (kParts * kParts);
        }
      }
    }
    finish(camera.mask, drift);
    camera.wavelengths = wavelengths();
    for (int b = 0; b < bands_; ++b) camera.positions.push_back(2.0 * b);
    return camera;
  }

  /// What the drifted camera measures.
  Image capture(const Drift& drift) const {
    std::vector<double> positions;
    for (int b = 0; b < bands_; ++b) positions.push_back(2.0 * b);
    const DriftedPositions places = drifted_positions(positions, drift);
    Image y(height_, width_ + 2 * (bands_ - 1));
    for (int b = 0; b < bands_; ++b) {
      const double along = places.along[static_cast<std::size_t>(b)];
      const double across = places.across[static_cast<std::size_t>(b)];
      Image light(y.height(), y.width());
      for (int r = 0; r < y.height(); ++r) {
        for (int c = 0; c < y.width(); ++c) {
          for (int i = 0; i < kParts * kParts; ++i) {
            const double row = r + part(i / kParts);
            const double column = c + part(i % kParts);
            const int from_row = std::clamp(fine(row - across), 0, scene_.height() - 1);
            const int from_column = fine(column - along);
            if (from_column < 0 || from_column >= scene_.width()) continue;
            light(r, c) +=
                open(row, column, drift, across, along) * scene_(b, from_row, from_column) / (kParts * kParts);
          }
        }
      }
      finish(light, drift);
      for (std::size_t i = 0; i < y.size(); ++i) y.data()[i] += light.data()[i];
    }
    return y;
  }

 private:
  static double part(int i) { return (0.5 + i) / kParts - 0.5; }
  static int fine(double place) { return static_cast<int>(std::floor((place + 0.5) * kFine)); }

  /// Whether light passes to a place on the detector, of a band that was moved.
  float open(double row, double column, const Drift& drift, double down, double right) const {
    const double middle_row = (height_ - 1) / 2.0;
    const double middle_column = (width_ - 1) / 2.0;
    // Small angles: sin and cos to a billionth.
    const double turn = drift.turn * std::numbers::pi / 180;
    const double sine = turn - turn * turn * turn / 6;
    const double cosine = 1 - turn * turn / 2 + turn * turn * turn * turn / 24;
    const double y = row - middle_row - drift.down - down;
    const double x = column - middle_column - drift.right - right;
    const double from_row = middle_row + cosine * y - sine * x;
    const double from_column = middle_column + sine * y + cosine * x;
    const int r = std::clamp(static_cast<int>(std::floor(from_row + 0.5)) + kPad, 0, aperture_.height() - 1);
    const int c = std::clamp(static_cast<int>(std::floor(from_column + 0.5)) + kPad, 0, aperture_.width() - 1);
    return 1 + static_cast<float>(drift.contrast) * (2 * aperture_(r, c) - 1);
  }
  static void finish(Image& image, const Drift& drift) {
    for (float& v : image.values()) v /= 2;
    if (drift.blur != 0) image = blurred_mask(image, drift.blur);
  }

  int height_;
  int width_;
  int bands_;
  Image aperture_;
  Cube scene_;
};

}  // namespace snapcube::testing
