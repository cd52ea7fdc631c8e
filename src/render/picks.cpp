#include "render/picks.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace snapcube {

namespace {

struct Candidate {
  Region region;
  std::vector<double> spectrum;
  double quality = 0;  ///< brightness · evenness · colour
};

double norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

double angle(const std::vector<double>& p, const std::vector<double>& q) {
  double dot = 0;
  for (std::size_t i = 0; i < p.size(); ++i) dot += p[i] * q[i];
  const double lengths = norm(p) * norm(q);
  return lengths > 0 ? std::acos(std::clamp(dot / lengths, -1.0, 1.0)) : 0;
}

Candidate candidate(const Cube& cube, const Region& region) {
  Candidate result{region, {}, 0};
  const double pixels = static_cast<double>(region.height) * region.width;
  double spread = 0;
  for (int b = 0; b < cube.bands(); ++b) {
    double sum = 0;
    double squares = 0;
    for (int y = region.top; y < region.top + region.height; ++y) {
      for (int x = region.left; x < region.left + region.width; ++x) {
        sum += cube(b, y, x);
        squares += static_cast<double>(cube(b, y, x)) * cube(b, y, x);
      }
    }
    const double mean = sum / pixels;
    result.spectrum.push_back(mean);
    spread += std::max(squares / pixels - mean * mean, 0.0);
  }
  const double length = norm(result.spectrum);
  const double relative = length > 0 ? std::sqrt(spread) / length : 1;
  // Grey has a flat spectrum, which tells little: its correlation is that of the noise.
  double sum = 0;
  for (const double v : result.spectrum) sum += v;
  const double mean = sum / cube.bands();
  double colour = 0;
  for (const double v : result.spectrum) colour += (v - mean) * (v - mean);
  const double saturation = length > 0 ? std::sqrt(colour) / length : 0;
  result.quality = length / (1 + 10 * relative) * (0.1 + saturation);
  return result;
}

}  // namespace

std::vector<double> region_spectrum(const Cube& cube, const Region& region) { return candidate(cube, region).spectrum; }

std::vector<Region> pick_spectral_regions(const Cube& truth, int count) {
  const int side = std::max(std::min(truth.height(), truth.width()) / 16, 1);
  std::vector<Candidate> candidates;
  for (int top = side / 2; top + side <= truth.height(); top += side) {
    for (int left = side / 2; left + side <= truth.width(); left += side) {
      candidates.push_back(candidate(truth, {top, left, side, side}));
    }
  }
  std::vector<const Candidate*> chosen;
  while (static_cast<int>(chosen.size()) < count) {
    const Candidate* best = nullptr;
    double most = 0;
    for (const Candidate& c : candidates) {
      double difference = 1;
      for (const Candidate* before : chosen) difference = std::min(difference, angle(c.spectrum, before->spectrum));
      if (c.quality * difference > most) {
        most = c.quality * difference;
        best = &c;
      }
    }
    if (!best) break;
    chosen.push_back(best);
  }
  std::vector<Region> regions;
  for (const Candidate* c : chosen) regions.push_back(c->region);
  return regions;
}

Region pick_detail(const Cube& truth) {
  Image mean(truth.height(), truth.width());
  for (int b = 0; b < truth.bands(); ++b) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean.data()[i] += truth.band(b)[i];
  }
  const int side = std::max(std::min(truth.height(), truth.width()) / 4, 1);
  const int step = std::max(side / 4, 1);
  Region best{0, 0, side, side};
  double most = -1;
  for (int top = 0; top + side <= truth.height(); top += step) {
    for (int left = 0; left + side <= truth.width(); left += step) {
      double sum = 0;
      for (int y = top; y + 1 < top + side; ++y) {
        for (int x = left; x + 1 < left + side; ++x) {
          sum += std::abs(mean(y, x + 1) - mean(y, x)) + std::abs(mean(y + 1, x) - mean(y, x));
        }
      }
      if (sum > most) {
        most = sum;
        best = {top, left, side, side};
      }
    }
  }
  return best;
}

}  // namespace snapcube
