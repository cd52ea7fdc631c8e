#pragma once
// From a word of the user's to a method: one of ours by its name, or a trained network.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "methods/method.h"
#include "models/any_weights.h"

namespace snapcube {

/// A method's name, or a model as in open_model. Throws InputError for what is neither.
std::unique_ptr<Reconstructor::Method> open_method(std::string_view name, const Reconstructor::Settings& settings);

/// A model by its name (a file models/NAME.safetensors of an installation) or by its weights file's path. Throws
/// InputError when there is none; the message says where it was looked for; and for weights that do not fit into the
/// setting max_memory.
std::unique_ptr<Reconstructor::Method> open_model(std::string_view name_or_path,
                                                  const Reconstructor::Settings& settings);

/// Whether the words mean a model rather than anything else: a path, a network, or an installed model's name.
bool is_model(std::string_view name_or_path);

}  // namespace snapcube
