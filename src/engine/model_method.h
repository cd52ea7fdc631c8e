#pragma once
// A trained network as a reconstruction method.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/any_weights.h"
#include "solvers/method.h"

namespace snapcube::engine {

/// A model by its name (a file models/NAME.safetensors of an installation) or by its weights file's path. Throws
/// InputError when there is none; the message says where it was looked for; and for weights of more than max_bytes.
std::unique_ptr<Reconstructor::Method> open_model(std::string_view name_or_path,
                                                  std::uint64_t max_bytes = WeightsRequest().max_bytes);

/// Whether the words mean a model rather than anything else: a path, a network, or an installed model's name.
bool is_model(std::string_view name_or_path);

}  // namespace snapcube::engine
