#pragma once
// What must hold of weights that a reader accepts.

#include <algorithm>
#include <cmath>

#include <snapcube/error.h>

#include "check.h"
#include "models/any_weights.h"
#include "models/pth.h"

namespace snapcube::fuzzing {

inline void check_tensor(const NamedTensor& tensor) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : tensor.shape) count *= static_cast<std::uint64_t>(extent);
  require(tensor.values.size() == count, "as many values as the shape says");
}

/// Any file as weights of a network: refused, or finite and complete.
inline void check_weights_file(std::span<const std::byte> file) {
  try {
    const LoadedWeights loaded = parse_any_weights(file, "x", {.max_bytes = kMaxBytes});
    for (const auto& [name, tensor] : loaded.weights.tensors) {
      check_tensor(tensor);
      require(std::ranges::all_of(tensor.values, [](float v) { return std::isfinite(v); }), "finite weights");
    }
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an error says something");
  }
}

/// A .pth file, whether it holds a network or other tensors.
inline void check_pth(std::span<const std::byte> file) {
  try {
    const StateDict state = open_pth(file, "x", kMaxBytes);
    const std::vector<NamedTensor> tensors = state.read(kMaxBytes);
    require(tensors.size() == state.shapes().size(), "a tensor for each shape");
    std::uint64_t bytes = 0;
    for (const NamedTensor& tensor : tensors) {
      check_tensor(tensor);
      bytes += tensor.values.size() * sizeof(float);
    }
    require(bytes <= kMaxBytes, "no more bytes than the limit");
  } catch (const InputError& error) {
    require(*error.what() != '\0', "an error says something");
  }
}

}  // namespace snapcube::fuzzing
