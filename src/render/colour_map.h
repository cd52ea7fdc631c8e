#pragma once
// Colours for numbers.

#include "render/colour.h"

namespace snapcube {

/// Errors: black over violet, red and orange to pale yellow. Lightness rises evenly, so that larger
/// is brighter also in print and for colour-blind eyes. `t` in [0,1] (clipped); the result is
/// encoded sRGB in [0,1].
Triple error_colour(double t);

}  // namespace snapcube
