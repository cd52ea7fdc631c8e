#pragma once

#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// The mean of every band.
std::vector<double> mean_spectrum(const Cube& cube);

}  // namespace snapcube
