#include "optics/band_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace snapcube {

namespace {

/// 0 … 1 over the range; from the first band to the last.
std::vector<double> places(std::span<const double> positions) {
  std::vector<double> result(positions.begin(), positions.end());
  const double first = positions.front();
  const double range = positions.back() - first;
  const auto last = static_cast<double>(positions.size() - 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = range != 0 ? (positions[i] - first) / range : (last > 0 ? static_cast<double>(i) / last : 0.5);
  }
  return result;
}

std::vector<double> even_places(int count) {
  std::vector<double> result;
  for (int i = 0; i < count; ++i) result.push_back(count > 1 ? static_cast<double>(i) / (count - 1) : 0.5);
  return result;
}

/// Row t: the weights of values at `from` (rising) that interpolate at to[t].
std::vector<float> interpolation(const std::vector<double>& from, const std::vector<double>& to) {
  std::vector<float> matrix(from.size() * to.size());
  for (std::size_t t = 0; t < to.size(); ++t) {
    const auto above =
        static_cast<std::size_t>(std::ranges::upper_bound(from, to[t]) - from.begin());  // first beyond to[t]
    float* row = matrix.data() + t * from.size();
    if (above == 0) {
      row[0] = 1;
    } else if (above == from.size()) {
      row[from.size() - 1] = 1;
    } else {
      const double share = (to[t] - from[above - 1]) / (from[above] - from[above - 1]);
      row[above - 1] = static_cast<float>(1 - share);
      row[above] = static_cast<float>(share);
    }
  }
  return matrix;
}

}  // namespace

BandGrid band_grid(std::span<const double> positions, int channels) {
  BandGrid grid;
  grid.bands = static_cast<int>(positions.size());
  grid.channels = channels;
  const std::vector<double> camera = places(positions);
  const std::vector<double> even = even_places(channels);
  // A thousandth of the distance between two channels is nothing.
  constexpr double kClose = 1e-3;
  grid.is_identity = grid.bands == channels && std::ranges::equal(camera, even, [&](double a, double b) {
                       return std::fabs(a - b) * channels < kClose;
                     });
  grid.to_channels = interpolation(camera, even);
  grid.to_bands = interpolation(even, camera);
  return grid;
}

}  // namespace snapcube
