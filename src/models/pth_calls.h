#pragma once
// The names that a state_dict's pickle asks for, and what the calls of them make.

#include <span>
#include <string>
#include <string_view>

#include "models/pth_objects.h"

namespace snapcube {

/// The same name, as a text that lives for ever. Throws InputError unless it is one of the few that are known.
std::string_view known_global(std::string_view name, const std::string& source);

/// What calling the global `name` with these arguments makes: a dict, or a tensor.
PickledObject call_global(std::string_view name, std::span<const ObjectId> arguments, const std::string& source,
                          PthObjects& objects);

/// The storage that a persistent id, a tuple, stands for.
PickledObject persistent_storage(const PickledObject& id, const std::string& source, PthObjects& objects);

}  // namespace snapcube
