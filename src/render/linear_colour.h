#pragma once
// A colour image before exposure and encoding.

#include <array>

#include <snapcube/array.h>
#include <snapcube/render.h>

namespace snapcube {

/// Red, green and blue planes in linear sRGB, not clipped.
using LinearColour = std::array<Image, 3>;

/// Throws InputError unless the cube has one wavelength for each band.
LinearColour linear_colour(const Cube& cube);

/// Multiplies by the exposure, clips, applies the transfer function.
Picture encode(const LinearColour& colour, double exposure);

}  // namespace snapcube
