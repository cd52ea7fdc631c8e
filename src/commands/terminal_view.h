#pragma once
// Cubes in the terminal.

#include <string>

#include <snapcube/array.h>

namespace snapcube {

/// The colours of the cube and its mean spectrum, as text for this terminal. `how`: "auto", "sixel" or "blocks". 28
/// bands without wavelengths get the published ones for their colours, and a line that says so.
std::string shown_in_terminal(const Cube& cube, const std::string& how);
/// A measurement or a mask, in grey.
std::string shown_in_terminal(const Image& image, const std::string& how);

}  // namespace snapcube
