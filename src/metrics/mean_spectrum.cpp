#include "metrics/mean_spectrum.h"

namespace snapcube {

std::vector<double> mean_spectrum(const Cube& cube) {
  std::vector<double> result;
  for (int b = 0; b < cube.bands(); ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < cube.band_size(); ++i) sum += cube.band(b)[i];
    result.push_back(sum / static_cast<double>(cube.band_size()));
  }
  return result;
}

}  // namespace snapcube
