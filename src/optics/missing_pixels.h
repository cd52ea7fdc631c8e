#pragma once
// Guesses for detector pixels that a camera gives no weight, for methods that take every pixel at its value.

#include <snapcube/array.h>
#include <snapcube/camera.h>

namespace snapcube {

/// `weighed` is √w·y. The result is y, where w = 0 as bright as its surroundings for what the mask lets through there:
/// (Φ1)[p] · Σy/ΣΦ1 over the smallest square around p in which half of the pixels, or nine, are known.
void fill_missing(const ImageView& weighed, const Camera& camera, Image& y);

}  // namespace snapcube
