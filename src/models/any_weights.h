#pragma once
// Weights from any file that holds them: ours, safetensors of others, PyTorch's. The content tells which it is.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/inference.h"
#include "models/weights.h"

namespace snapcube {

/// How our own weights files end.
inline constexpr std::string_view kWeightsExtension = ".safetensors";
/// Whether a path ends as weights files do, ours or PyTorch's: .safetensors, .pth, .pt, .ckpt, .bin.
bool has_weights_extension(std::string_view path);

struct WeightsRequest {
  std::uint64_t max_bytes = std::uint64_t{16} << 30;
  /// Of the hash vectors, where the file has none.
  std::uint64_t seed = 1;
  ModelSettings settings = {};
};

struct LoadedWeights {
  Weights weights;
  std::string format;              ///< "Snapcube weights", "safetensors", "PyTorch, zip", …
  std::vector<std::string> notes;  ///< what was inferred, assumed and drawn, one sentence each; none for our own files
};

/// Throws InputError for a file that is none of these, or that does not hold a CST network.
LoadedWeights read_any_weights(const std::string& path, const WeightsRequest& request = {});
LoadedWeights parse_any_weights(std::span<const std::byte> file, const std::string& source,
                                const WeightsRequest& request = {});

}  // namespace snapcube
