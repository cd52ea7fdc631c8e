#pragma once
// Pictures made of characters.

#include <string>
#include <vector>

#include <snapcube/render.h>

#include "render/colour.h"

namespace snapcube {

/// Two pixels a character, one above the other: '▀' with a colour for each. `true_colour`: 24 bits, else the 256
/// colours that almost every terminal has.
std::string half_block_text(const Picture& picture, bool true_colour);

/// The same as sixels, DEC's graphics: 252 colours (6 × 7 × 6 levels), errors spread to the neighbours.
std::string sixel_text(const Picture& picture);

/// A column of `width` characters for each value, `rows` high for the largest, in steps of an eighth; `colours` are
/// encoded sRGB, one for each value.
std::string bar_text(const std::vector<double>& values, const std::vector<Triple>& colours, int rows, int width,
                     bool true_colour);

/// The picture fitted into a box: each new pixel is the mean of the area it covers, in linear light. Never enlarged.
Picture shrunk(const Picture& picture, int height, int width);

}  // namespace snapcube
