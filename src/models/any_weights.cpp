#include "models/any_weights.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/input_file.h"
#include "io/safetensors.h"
#include "models/pth.h"

namespace snapcube {

bool has_weights_extension(std::string_view path) {
  constexpr std::array<std::string_view, 5> kExtensions = {kWeightsExtension, ".pth", ".pt", ".ckpt", ".bin"};
  const std::string name = lower(path);
  return std::ranges::any_of(kExtensions, [&](std::string_view e) { return name.ends_with(e); });
}

namespace {

/// The length of the header in 8 bytes, then the header, a JSON object.
bool is_safetensors(std::span<const std::byte> file) { return file.size() > 8 && file[8] == std::byte{'{'}; }

/// Puts the tensors into the result and draws the hash vectors that are missing.
void complete(LoadedWeights& loaded, std::vector<NamedTensor> tensors, const WeightsRequest& request,
              const std::string& source) {
  Weights& weights = loaded.weights;
  std::size_t stored = 0;
  for (NamedTensor& tensor : tensors) {
    stored += is_hash_tensor(tensor.name) ? 1 : 0;
    std::string name = tensor.name;
    weights.tensors[std::move(name)] = std::move(tensor);
  }
  const std::size_t before = weights.tensors.size();
  draw_hash_vectors(weights, request.seed);
  const std::size_t drawn = weights.tensors.size() - before;
  if (drawn > 0) {
    loaded.notes.push_back(fmt::format("Hash vectors: {}drawn from seed {}.",
                                       stored > 0 ? fmt::format("{} from the file, {} ", stored, drawn) : "",
                                       request.seed));
  } else if (stored > 0) {
    loaded.notes.push_back("Hash vectors: those of the file.");
  }
  check_weights(weights, source);
}

LoadedWeights from_pth(std::span<const std::byte> file, const std::string& source, const WeightsRequest& request) {
  const StateDict state = open_pth(file, source, request.max_bytes);
  InferredConfig inferred = infer_config(state.shapes(), request.settings, source);
  check_shapes(inferred.config, state.shapes(), source, true);
  LoadedWeights loaded{{std::move(inferred.config), {}}, state.format(), state.notes()};
  loaded.notes.insert(loaded.notes.end(), inferred.notes.begin(), inferred.notes.end());
  std::vector<NamedTensor> tensors = state.read(request.max_bytes);
  drop_constants(loaded.weights.config, tensors, source);
  complete(loaded, std::move(tensors), request, source);
  return loaded;
}

LoadedWeights from_safetensors(std::span<const std::byte> file, const std::string& source,
                               const WeightsRequest& request) {
  Safetensors content = parse_safetensors(file, source);
  if (has_config(content)) {
    LoadedWeights loaded{parse_weights(file, source, request.max_bytes), "Snapcube weights", {}};
    apply_settings(loaded.weights.config, request.settings, source);
    check_weights(loaded.weights, source);
    return loaded;
  }
  std::erase_if(content.tensors, [](const TensorView& tensor) { return is_batch_counter(tensor.name); });
  std::vector<ParameterShape> shapes;
  for (const TensorView& tensor : content.tensors) shapes.push_back({tensor.name, tensor.shape});
  InferredConfig inferred = infer_config(shapes, request.settings, source);
  check_shapes(inferred.config, shapes, source, true);
  check_size(content, source, request.max_bytes);
  LoadedWeights loaded{{std::move(inferred.config), {}}, "safetensors", std::move(inferred.notes)};
  std::vector<NamedTensor> tensors;
  for (const TensorView& tensor : content.tensors) {
    tensors.push_back({tensor.name, tensor.shape, floats_of(tensor, source)});
  }
  drop_constants(loaded.weights.config, tensors, source);
  complete(loaded, std::move(tensors), request, source);
  return loaded;
}

}  // namespace

LoadedWeights parse_any_weights(std::span<const std::byte> file, const std::string& source,
                                const WeightsRequest& request) {
  if (is_safetensors(file)) return from_safetensors(file, source, request);
  if (is_pth(file)) return from_pth(file, source, request);
  throw InputError(source, "", "weights: safetensors, or a .pth of PyTorch", "something else");
}

LoadedWeights read_any_weights(const std::string& path, const WeightsRequest& request) {
  return parse_any_weights(InputFile(path).rest(0, request.max_bytes), path, request);
}

}  // namespace snapcube
