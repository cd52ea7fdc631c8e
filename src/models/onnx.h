#pragma once
// A network as an ONNX model, whichever it is.

#include <string>

#include "models/weights.h"

namespace snapcube {

/// The bytes of a .onnx file: cst_onnx or prism_onnx. Throws InputError for other networks, and for what those two
/// cannot express.
std::string to_onnx(const Weights& weights, const std::string& source);

}  // namespace snapcube
