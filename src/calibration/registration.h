#pragma once
// Least squares: how an image must be moved, turned and scaled to be another.

#include <snapcube/array.h>

#include "calibration/similarity.h"

namespace snapcube {

struct Registration {
  Similarity motion;
  double correlation = 0;  ///< of the two images, where both are
};

/// to(motion(p)) ≈ a · from(p) + b, from a start that is right to about a pixel, by Gauss and Newton. The images should
/// be smoothed by about a pixel: what lies between pixels is then known (docs/calibration.md). Only pixels of `area` of
/// `from` count; its centre is that of the motion. `rigid`: neither turned nor scaled.
Registration register_images(const Image& from, const Image& to, const Region& area, const Place& centre,
                             const Similarity& start, bool rigid = false);

}  // namespace snapcube
