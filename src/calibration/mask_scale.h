#pragma once
// In which units masks are, and images with rows and columns exchanged.

#include <snapcube/array.h>

namespace snapcube {

/// Every band gets the mean of all, since brightness belongs to the lamp; then all are divided by one number, so that
/// 99 % of the pixels of their mean are at most 1. Returns the mean factor that was divided by.
double scale_masks(Cube& masks);

Image transposed(const Image& image);
Cube transposed(const Cube& cube);

}  // namespace snapcube
