#pragma once
// What a white target tells of lamp and sensor: how bright each band is.

#include <vector>

#include <snapcube/array.h>

namespace snapcube {

struct GainFinding {
  std::vector<double> gains;  ///< 1 on average
  double misfit = 0;          ///< ‖y − w·Σ g_b D_b‖/‖y‖
};

/// y = w · Σ_b g_b D_b, by least squares over the good pixels: the gains g, and the light on the target w, a parabola
/// over rows and columns, in turn. `bands`: the images of the bands on the detector, as large as `white`. `seen`:
/// whether a band has a capture of its own. The images of others are not sharp enough to be weighed; where four have
/// been seen, the gains of others lie on the polynomial through the six nearest, or through all.
/// `noise`: the variance of each image's pixels, which makes it more like itself than it is like the white target and
/// would make its gain too small; 0 where it is not known.
GainFinding band_gains(const Image& white, const Image& good, const std::vector<Image>& bands,
                       const std::vector<double>& wavelengths, const std::vector<bool>& seen,
                       const std::vector<double>& noise);

}  // namespace snapcube
