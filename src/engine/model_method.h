#pragma once
// A trained network as a reconstruction method.

#include <memory>
#include <string>
#include <string_view>

#include "solvers/method.h"

namespace snapcube::engine {

/// A model by its name (a file models/NAME.safetensors of an installation) or by its weights file's path. Throws
/// InputError when there is none; the message says where it was looked for.
std::unique_ptr<Reconstructor::Method> open_model(std::string_view name_or_path);

/// Whether the words can only mean a weights file.
bool looks_like_path(std::string_view name);
/// Whether there is an installed model of that name.
bool model_exists(std::string_view name);
/// The path of a model's weights file. Throws InputError as open_model.
std::string find_model(std::string_view name_or_path);

}  // namespace snapcube::engine
