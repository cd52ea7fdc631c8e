#pragma once
// Where models are looked for.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapcube {

/// The path of a model's weights file; null when there is none, and `tried` says where it was looked for.
std::optional<std::string> find_model(std::string_view name, std::vector<std::string>& tried);

}  // namespace snapcube
