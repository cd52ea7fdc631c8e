#pragma once
// Cubes that are read to be looked at.

#include <string>

#include <snapcube/array.h>
#include <snapcube/io.h>

namespace snapcube {

/// The cube; one of 28 bands without wavelengths gets the published ones, for its colours, and the log says so.
Cube read_shown_cube(const std::string& location, const ReadOptions& options);

}  // namespace snapcube
