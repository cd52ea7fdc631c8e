#pragma once
// The mask as a band shows it on the detector: the capture of its wavelength, or the two next to it, each moved (and,
// where it matters, turned and scaled) to where the band lies.
//
//   D_b(p) = Σ_k w_k F_k(q_k) / Σ_k w_k,  q_k = G_k(G_b⁻¹(p))      F_k: a capture above black, of mean 1 inside the
//   mask;
//                                                                G: where a capture or band has the mask
//
// Pixels sample a sharp mask too coarsely for its values between them to be known. So a band that has a capture takes
// that one alone, though a mean of more would have less noise; others lie linearly between their neighbours. Under a
// pixel that a capture does not know, the nearest capture that knows it stands in.

#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>

#include "calibration/similarity.h"

namespace snapcube {

struct AlignedCaptures {
  std::vector<Image> frames;  ///< above black, of mean 1 inside the mask
  std::vector<Image> good;    ///< 0 where a frame knows nothing
  std::vector<double> wavelengths;
  std::vector<Similarity> motions;
  Place centre;
};

/// What a capture counts for a band. Those of weight 0 stand in, in this order.
struct CaptureShare {
  std::size_t capture;
  double weight;
};
std::vector<CaptureShare> capture_shares(const std::vector<double>& captures, double band);

/// D_b at the pixels of a rectangle of the detector.
Image band_image(const AlignedCaptures& captures, double wavelength, const Similarity& motion, const Region& area);

/// The mask of a band whose image on the detector is that: what Camera, which splits fractions of a pixel between two
/// pixels, makes most alike to it. `position`: of the mask in the image, pixels.
///
///   min ‖S m − D‖² + μ ‖m − D(· + position)‖²          S m [p] = (1 − f) m[p − n] + f m[p − n − 1]
///
/// Half a pixel's S does not pass the finest stripes, and there the image between its pixels decides.
Image mask_of(const Image& band, double position, int width);

}  // namespace snapcube
