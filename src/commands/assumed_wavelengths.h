#pragma once
// Cubes that are read to be looked at.

#include <string>

#include <snapcube/array.h>
#include <snapcube/io.h>

namespace snapcube {

/// Gives a cube of 28 bands without wavelengths the published ones, for its colours. True if it did.
bool assume_published_wavelengths(Cube& cube);

/// Reads a cube and assumes wavelengths; the log says so.
Cube read_cube_for_viewing(const std::string& location, const ReadOptions& options);

}  // namespace snapcube
