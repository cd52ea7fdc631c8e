#pragma once
// What a person would point at: flat coloured places for spectra, a detailed one to zoom into.

#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// Up to `count` squares, apart from each other, that are bright, even inside, coloured, and of different spectra: each
/// is the best by  brightness · evenness · colour · angle to the nearest one before. The side is a sixteenth of the
/// shorter one of the image, at least 1.
std::vector<Region> pick_spectral_regions(const Cube& truth, int count);

/// The mean of the region, band by band.
std::vector<double> region_spectrum(const Cube& cube, const Region& region);

/// The square, a quarter of the image's shorter side, with the largest mean gradient of the mean over the bands.
Region pick_detail(const Cube& truth);

}  // namespace snapcube
