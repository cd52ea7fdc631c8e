#pragma once
// Lamps that a network does not know. Light of narrow lines is in every spectrum of a scene, and a network that has not
// seen such spectra invents others. The lines show in the mean spectrum of a solver's cube; divided by them the scene
// is one that the network knows:
//
//   x = g·s,   y = Φ(g·s),   s: the scene under a smooth lamp

#include <vector>

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

/// g: the mean spectrum of a cube without its smooth course (the parabola that fits its logarithm best), so that the
/// scene's own colour stays in s. Mean 1, at least kLeastGain. `gains` keeps its memory.
void lines_of(const Cube& cube, std::vector<float>& gains);
constexpr double kLeastGain = 0.2;

/// x_b ← gains_b · x_b.
void multiply_bands(Cube& x, const std::vector<float>& gains);

/// The camera whose masks are gains_b · m_b: what it measures of s is what `camera` measures of g·s.
Camera with_gains(const Camera& camera, const std::vector<float>& gains);

}  // namespace snapcube
