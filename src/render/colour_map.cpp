#include "render/colour_map.h"

#include <algorithm>
#include <cmath>

namespace snapcube {
namespace {

/// CIE L*, a*, b* of the map's knots: equal steps of L*, hue from blue-violet to yellow.
constexpr std::array<Triple, 6> kKnots = {{
    {3, 1, -4},
    {21, 36, -44},
    {39, 54, -18},
    {57, 52, 34},
    {75, 24, 64},
    {96, -6, 38},
}};

/// D65 white (Y = 1).
constexpr Triple kWhite = {0.95047, 1.0, 1.08883};

double inverse_lab(double f) {
  constexpr double kEdge = 6.0 / 29;
  return f > kEdge ? f * f * f : 3 * kEdge * kEdge * (f - 4.0 / 29);
}

}  // namespace

Triple error_colour(double t) {
  const double position = std::clamp(std::isfinite(t) ? t : 0.0, 0.0, 1.0) * (kKnots.size() - 1);
  const auto index = std::min(static_cast<std::size_t>(position), kKnots.size() - 2);
  const double share = position - static_cast<double>(index);
  Triple lab{};
  for (std::size_t k = 0; k < 3; ++k) lab[k] = (1 - share) * kKnots[index][k] + share * kKnots[index + 1][k];
  const double fy = (lab[0] + 16) / 116;
  const Triple rgb = linear_srgb({kWhite[0] * inverse_lab(fy + lab[1] / 500), kWhite[1] * inverse_lab(fy),
                                  kWhite[2] * inverse_lab(fy - lab[2] / 200)});
  return {encode_srgb(rgb[0]), encode_srgb(rgb[1]), encode_srgb(rgb[2])};
}

}  // namespace snapcube
