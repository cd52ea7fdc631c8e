#pragma once
// What was read, written or used, in half a sentence.

#include <string>

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

/// "28 bands of 256×256, 453–648 nm"
std::string cube_text(const Cube& cube);
/// "28 bands 2 pixels apart along the columns, a mask of 256×256"
std::string camera_text(const Camera& camera);

/// Logs that a file was written: "wrote shot.mat: measurement, 256×310".
void tell_written(const std::string& path, const std::string& what);
void tell_written(const std::string& path, const std::string& what, const Image& image);

}  // namespace snapcube
