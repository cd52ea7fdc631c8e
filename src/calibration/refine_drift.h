#pragma once
// What may have drifted in a camera since it was calibrated, as eight numbers.
//
//   mask of the band at o on the detector:  m'(p) = C( B m( c + R(−turn)·(p − c − d − v) ) )
//
// with d = (down, right), the middle c of the mask, a blur B, contrast C(m) = mean + contrast·(m − mean), and
//
//   along the dispersion    o' = o + slope·(o − mid) + curvature·span·(t² − 1/3),    t = (o − mid)/(span/2)
//   across it               v  = (o − mid)·tan(angle)
//
// where mid and span are those of the positions o. d keeps the middle of the spectrum in place, so that no number means
// what another does.

#include <array>
#include <cstddef>
#include <string>

namespace snapcube {

constexpr std::size_t kDriftParameters = 8;
using DriftValues = std::array<double, kDriftParameters>;

struct Drift {
  double right = 0;      ///< of the mask, pixels
  double down = 0;       ///< of the mask, pixels
  double turn = 0;       ///< of the mask about its middle, degrees, clockwise
  double slope = 0;      ///< share by which positions are farther apart
  double curvature = 0;  ///< share of the span
  double angle = 0;      ///< of the dispersion to the rows (columns), degrees; clockwise along the columns
  double blur = 0;       ///< variance of the blur, pixel²; below 0: sharper than the mask at hand
  double contrast = 1;   ///< of the mask

  DriftValues values() const { return {right, down, turn, slope, curvature, angle, blur, contrast}; }
  static Drift of(const DriftValues& v) { return {v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]}; }
};

/// One of the eight, in the order of the values.
struct DriftParameter {
  std::string name;  ///< "turn"
  std::string text;  ///< "rotation of the mask"
  std::string unit;  ///< "°"
  double shown;      ///< factor to the unit that is shown: 100 for per cent
  double least;      ///< range of the search, around the camera's own value
  double most;
  double step;    ///< what changes a capture noticeably
  double useful;  ///< a standard deviation above this tells nothing
};
const std::array<DriftParameter, kDriftParameters>& drift_parameters();
/// The index of a name. Throws InputError for an unknown one; the message lists the known.
std::size_t drift_parameter(const std::string& name);

}  // namespace snapcube
