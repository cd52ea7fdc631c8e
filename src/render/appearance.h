#pragma once
// How values become pictures that can be judged: exposure, tints, errors and their scale.

#include <snapcube/array.h>
#include <snapcube/render.h>

#include "render/colour.h"
#include "render/linear_colour.h"

namespace snapcube {

/// The value below which a share of the finite values lies.
double percentile(const Image& image, double share);

bool has_colours(const Cube& cube);
/// Colours where the wavelengths are known, else the mean of the bands as grey.
LinearColour colours_of(const Cube& cube);

/// Brings the 99.5th percentile of the luminance to white; 1 if it is near already, or if all is
/// black.
double automatic_exposure(const LinearColour& colour);

/// 1, 2 or 5 times a power of ten, at least `value`; 1 if there is no error at all.
double round_up(double value);

/// Mean over the bands of |cube − truth|.
Image mean_absolute_error(const Cube& cube, const Cube& truth);

/// One band multiplied by a colour.
Picture tinted(const Image& values, double exposure, const Triple& tint);

}  // namespace snapcube
