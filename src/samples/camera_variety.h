#pragma once
// Cameras of the samples, for networks that take any: how far apart the bands lie, how the masks of the bands differ,
// how far the mask that the network is told of is from the true one, and which detector pixels are of no use.

#include <cstdint>
#include <vector>

#include <snapcube/array.h>

#include "base/random.h"

namespace snapcube {

/// Shares are of the samples; each thing is drawn by itself.
struct CameraVariety {
  bool operator==(const CameraVariety&) const = default;

  double dispersion = 0;   ///< share with another dispersion than the model's
  double shortest = 20;    ///< distance of the first band from the last on the detector, in pixels
  double longest = 90;     ///< …
  double per_band = 0;     ///< share with a mask per band: blur and gain change along the bands
  double mismatch = 0;     ///< share whose true mask is not quite the assumed one: shift, blur, contrast, saturation
  double dead_pixels = 0;  ///< share with dead and hot pixels
  double saturation = 0;   ///< share with an exposure too long: pixels above a level are cut, and known to be
};

/// A sample's camera as the network is told of it, and what it measured. Bands are dispersed along the columns.
struct CaptureSample {
  std::vector<double> positions;  ///< of the bands on the detector
  int detector_width = 0;
  Cube masks;         ///< assumed, of each band
  Image measurement;  ///< in the units of the sum over bands
  Image weights;      ///< of detector pixels, 0 or 1; empty: all 1
};

/// Positions of the bands. Of the cameras with another dispersion half have whole pixels from band to band, the others
/// any distance; either way they are even: what a prism bends, bends the spectra of the network's channels
/// (bend_spectra).
std::vector<double> draw_positions(const CameraVariety& variety, Random& random, int bands, int step);

/// Resamples the bands of a cube along a curve, as a prism would sample them: channel c becomes the spectrum at
/// c + bend·4·t(1 − t)·(bands − 1), t = c/(bands − 1), |bend| ≤ 0.2 drawn.
void bend_spectra(Random& random, Cube& cube);

/// Masks of the bands: what the camera has, and what the network is told.
struct MaskPair {
  Cube truth;
  Cube assumed;
};
void draw_masks(const CameraVariety& variety, const Image& mask, Random& random, int bands, MaskPair& masks);

/// Cuts off what is above a level, and puts 0 or the largest value into dead pixels; `weights` is empty where nothing
/// was done.
void spoil_pixels(const CameraVariety& variety, Random& random, Image& measurement, Image& weights);

/// `image` moved by a part of a pixel, edges repeated.
Image moved(const Image& image, double down, double right);

}  // namespace snapcube
