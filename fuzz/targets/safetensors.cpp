// safetensors; what is parsed is written and parsed once more.

#include <optional>

#include "weights_check.h"

using namespace snapcube;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  fuzzing::check_weights_file(bytes);
  std::optional<Safetensors> content;
  try {
    content = parse_safetensors(bytes, "x");
  } catch (const InputError&) {
    return 0;
  }
  const std::vector<std::byte> file = safetensors_file(*content);
  const Safetensors again = parse_safetensors(file, "x");
  fuzzing::require(again.tensors.size() == content->tensors.size() && again.metadata == content->metadata,
                   "a file is the same after it was written");
  for (const TensorView& tensor : content->tensors) {
    const auto found = std::ranges::find(again.tensors, tensor.name, &TensorView::name);
    fuzzing::require(found != again.tensors.end() && found->type == tensor.type && found->shape == tensor.shape &&
                         std::ranges::equal(found->bytes, tensor.bytes),
                     "a tensor is the same after it was written");
  }
  return 0;
}
