#pragma once
// What several measures share: the check of shapes, the values that a protocol compares.

#include <algorithm>
#include <cmath>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// Sides of the square windows, in pixels.
constexpr int kSsimWindow = 11;
constexpr int kUiqiWindow = 32;

/// Throws InputError unless both cubes have the same shape and are not empty; the message names
/// both.
void check_same_shape(const Cube& image, const Cube& truth);

/// x in [0,1]; NaN stays NaN.
inline double clamped(float x) { return std::clamp(static_cast<double>(x), 0.0, 1.0); }

/// The 8-bit level of x. 255·x is exact in double, so this is the only rounding; its one tie, x =
/// 0.5, goes to 128 by every rule.
inline double level_of(float x) { return std::round(255 * clamped(x)); }

/// The mean; NaN of nothing.
inline double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

}  // namespace snapcube
