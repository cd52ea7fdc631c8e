#pragma once
// A CST network as an ONNX model.

#include <string>

#include "models/weights.h"

namespace snapcube {

/// The bytes of a .onnx file, opset 17: `measurement` [detector height, detector width] and, where the network takes
/// it, `mask` [height, width] in; `cube` [bands, height, width] and, where there is one, `error_map` [height, width]
/// out. The sizes are open. Shifting back, the scale (y·2/bands; none for scale `max`), reflection to a usable size and
/// cropping are part of the model; the hash vectors are constants in it. Throws InputError for what cannot be
/// expressed: attention of global scope or of another form, screening that is random or uniform.
std::string cst_onnx(const Weights& weights, const std::string& source);

}  // namespace snapcube
