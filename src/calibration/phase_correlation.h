#pragma once
// By how many pixels an image has moved, found by its phases.

#include <snapcube/array.h>

namespace snapcube {

struct Shift {
  double dx = 0;
  double dy = 0;
};

/// to(x + dx, y + dy) ≈ from(x, y). The cross spectrum is divided by its magnitude and smoothed by a Gaussian of one
/// pixel; its peak is interpolated by parabolas: right to some tenths of a pixel for any shift below half of the image.
/// Both images have mean 0 and one size. Large images are made smaller before.
Shift phase_correlation(const Image& from, const Image& to);

}  // namespace snapcube
