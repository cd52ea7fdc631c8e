#pragma once
// A model: its configuration and its tensors, and the safetensors file that holds both. The trainer writes it, the
// engine reads it.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <snapcube/array.h>

#include "io/safetensors.h"
#include "models/cst_parameters.h"
#include "models/model_config.h"

namespace snapcube {

struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  FloatBuffer values;  ///< row-major
};

struct Weights {
  ModelConfig config;
  std::map<std::string, NamedTensor> tensors;  ///< by name
};

/// Throws InputError when the file is no safetensors, has no configuration (metadata key `snapcube`), would take more
/// than max_bytes in the file or in memory, or does not pass check_weights.
Weights read_weights(const std::string& path, std::uint64_t max_bytes);
/// The same from a file in memory.
Weights parse_weights(std::span<const std::byte> file, const std::string& source, std::uint64_t max_bytes);
/// Whether a safetensors file has a configuration, and so is one of ours.
bool has_config(const Safetensors& content);
/// Throws InputError when the values as floats take more than max_bytes.
void check_size(const Safetensors& content, const std::string& source, std::uint64_t max_bytes);

/// Checks the weights, then writes them; half_precision stores all but the hash vectors as F16. Throws Error, also for
/// a value that is too large for half precision.
void write_weights(const Weights& weights, const std::string& path, bool half_precision = false);

/// Replaces the configuration in a weights file of ours; every tensor keeps its bytes. Throws as read_weights.
void rewrite_config(const std::string& path, const ModelConfig& config, std::uint64_t max_bytes);

/// The tensors must be those of the configuration, with finite values. Throws one InputError that counts those that are
/// missing, unexpected or of another shape, and lists the first of each.
void check_weights(const Weights& weights, const std::string& source);

/// The same for names and shapes alone, before any value is read. A published file may lack hash vectors and constants.
void check_shapes(const ModelConfig& config, std::span<const ParameterShape> found, const std::string& source,
                  bool published = false);

/// Removes what published files have and ours do not: constants, which must have their defined values. The shapes have
/// passed check_shapes.
void drop_constants(const ModelConfig& config, std::vector<NamedTensor>& tensors, const std::string& source);
/// Draws the hash vectors that are missing: α ~ N(0,1), β ~ U(0,1). They depend on the seed and the tensor's name
/// only, on every machine.
void draw_hash_vectors(Weights& weights, std::uint64_t seed);

}  // namespace snapcube
