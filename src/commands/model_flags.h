#pragma once
// Options about a weights file: what it does not say itself.

#include <cstdint>
#include <string>

#include "models/any_weights.h"

namespace CLI {
class App;
}

namespace snapcube {

/// The heading of these options in `--help`.
constexpr const char* kModelGroup = "Weights files (.pth, .safetensors): where they do not tell";

/// --seed, --sigma, --rounds, --window, --bucket, --step, --scale, …
class ModelFlags {
 public:
  void add_to(CLI::App& command);
  /// One more, for an option that the command has already.
  void set(const std::string& key, const std::string& value) { request_.settings[key] = value; }
  /// What was given; empty: nothing.
  std::string get(const std::string& key) const {
    const auto found = request_.settings.find(key);
    return found == request_.settings.end() ? std::string() : found->second;
  }
  /// Reads the file and tells in the log what was inferred and assumed.
  LoadedWeights read(const std::string& path, std::uint64_t max_bytes) const;

 private:
  WeightsRequest request_;
};

}  // namespace snapcube
