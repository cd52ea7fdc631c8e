#pragma once
// How well a drift explains captures, asked of windows so small that a scene is smooth in them. A cube is flexible and
// explains almost anything; a window of 12×12 pixels has thirty unknowns for 144 values:
//
//   y(p) ≈ Σ_b m_b(p) Σ_j h_j(b) (c_j0 + c_j1·row + c_j2·column)         m_b: the drifted mask where band b falls
//
// h_j are hats over the bands. The unknowns c are found by least squares, and what is left, r = Σ (y − …)², tells one
// drift from another:
//
//   objective = Σ_windows n/2 · log r            a window counts by how well it can be explained: edges count little

#include <functional>
#include <memory>
#include <vector>

#include <snapcube/camera_file.h>
#include <snapcube/detector.h>

#include "calibration/refine_drift.h"
#include "calibration/refine_mask.h"

namespace snapcube {

/// A window of one capture.
struct FitWindow {
  std::size_t capture = 0;
  int row = 0;
  int column = 0;
};

/// The objective's value and, for some parameters, its slope and curvature (Gauss–Newton).
struct LocalFitValue {
  double objective = 0;
  double left = 0;   ///< Σ r
  double light = 0;  ///< Σ y²
  /// In steps of the parameters (DriftParameter::step), for those asked for.
  std::vector<double> gradient;
  std::vector<double> curvature;  ///< square, row by row
  /// Σ of g·gᵀ over groups of windows, g their gradients: how much they disagree.
  std::vector<double> scatter;
};

class LocalFit {
 public:
  static constexpr int kWindow = 10;

  /// Frames have the size of the camera's detector. Refers to camera and frames, which must outlive it.
  LocalFit(const CameraFile& camera, const std::vector<PreparedFrame>& frames);
  ~LocalFit();
  LocalFit(const LocalFit&) = delete;
  LocalFit& operator=(const LocalFit&) = delete;

  /// At most `most` windows with light, spread evenly, whose middles lie within `radius` pixels of the detector's
  /// middle in both directions.
  std::vector<FitWindow> windows(double radius, std::size_t most) const;

  double objective(const std::vector<FitWindow>& windows, const Drift& drift) const;
  LocalFitValue evaluate(const std::vector<FitWindow>& windows, const Drift& drift,
                         const std::vector<std::size_t>& parameters) const;

 private:
  struct Optics;
  class Worker;
  Optics optics(const Drift& drift) const;

  const CameraFile& camera_;
  const std::vector<PreparedFrame>& frames_;
  std::vector<Image> masks_;  ///< one, or one a band
  MaskReading reading_ = MaskReading::linear;
  int detector_height_ = 0;
  int detector_width_ = 0;
};

}  // namespace snapcube
