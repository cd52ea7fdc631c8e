#pragma once
// The JSON header of a safetensors file, token by token.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors.h"

namespace snapcube::io {

struct SafetensorsHeader {
  struct Entry {
    std::string name;
    TensorType type = TensorType::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  std::vector<Entry> entries;  ///< as listed
  std::map<std::string, std::string> metadata;
};

/// Checks the grammar and that no key comes twice; what the numbers mean is the caller's to check. Throws InputError.
SafetensorsHeader parse_safetensors_header(std::string_view json, const std::string& source);

}  // namespace snapcube::io
