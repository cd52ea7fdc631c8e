#pragma once
// Prism as an ONNX model, the camera among its inputs.

#include <string>

#include "models/weights.h"

namespace snapcube {

/// The bytes of a .onnx file, opset 17. In, all 32-bit floats:
///
///   measurement [detector height, detector width]   in any units
///   masks       [bands or 1, height, width]         one for each band, or one for all
///   positions   [bands]                             of the bands on the detector, in pixels, rising or falling
///   weights     of detector pixels, the detector's size, or [1, 1]: the same for all
///
/// out: `cube` [bands, height, width] and `expected_error` [height, width], both in the measurement's units. Every size
/// and the number of bands are open; the dispersion is along the columns. What else depends on the camera (ΦΦᵀ and its
/// inverse, the interpolation between bands and channels, brightness, dead pixels) is computed in the graph. One pass.
std::string prism_onnx(const Weights& weights, const std::string& source);

}  // namespace snapcube
