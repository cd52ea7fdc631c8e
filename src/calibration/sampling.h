#pragma once
// Values of an image between its pixels, and images without their fine or their coarse structure.

#include <span>
#include <vector>

#include <snapcube/array.h>

#include "calibration/similarity.h"

namespace snapcube {

/// Smoothed by a Gaussian of that deviation in pixels; borders repeat.
Image smoothed(const Image& image, double deviation);
/// (v − m)/max(m, floor), m the mean around within `deviation`: the pattern, free of slow shading and of brightness.
Image pattern_of(const Image& image, double deviation, double floor);

/// Catmull and Rom's cubic through the 4×4 pixels around; 0 outside of the image.
float cubic(const Image& image, double x, double y);

/// Lanczos' window of three lobes over 6×6 pixels: all but the finest detail survives it. Pixels without weight (0 in
/// `good`, which may be empty) are left out. `good_share` is the share of the window that was there, 0 outside.
struct Sample {
  float value = 0;
  float good_share = 0;
};
Sample lanczos(const Image& image, const Image& good, double x, double y);

/// Every pixel that is not good becomes the mean of the good ones around it.
void fill_bad(Image& image, const Image& good);

}  // namespace snapcube
