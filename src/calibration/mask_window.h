#pragma once
// Where on the detector the mask lies.

#include <snapcube/array.h>

namespace snapcube {

/// The rows and columns of `light` that are lit: where their means pass half of what the lit ones have. Throws nothing;
/// an empty region where nothing is lit.
Region lit_window(const Image& light);

}  // namespace snapcube
