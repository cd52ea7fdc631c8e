// safetensors; what is parsed is written and parsed once more. Differential: a tree of the header's JSON says the same.

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "weights_check.h"

using namespace snapcube;

namespace {

void compare_with_tree(const Safetensors& content, std::span<const std::byte> file) {
  std::uint64_t length;
  std::memcpy(&length, file.data(), sizeof(length));
  const auto* text = reinterpret_cast<const char*>(file.data()) + sizeof(length);
  auto tree = nlohmann::json::parse(text, text + length);
  if (tree.contains("__metadata__")) {
    fuzzing::require(tree["__metadata__"] == nlohmann::json(content.metadata) || content.metadata.empty(),
                     "the metadata of the tree");
    tree.erase("__metadata__");
  }
  fuzzing::require(tree.size() == content.tensors.size(), "the tensors of the tree");
  for (const TensorView& tensor : content.tensors) {
    const nlohmann::json& entry = tree.at(tensor.name);
    const auto begin = static_cast<std::uint64_t>(tensor.bytes.data() - file.data()) - sizeof(length) - length;
    fuzzing::require(entry.at("dtype") == tensor_type_name(tensor.type) && entry.at("shape") == tensor.shape &&
                         entry.at("data_offsets") == nlohmann::json{begin, begin + tensor.bytes.size()},
                     "type, shape and place as the tree says");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = fuzzing::as_span(data, size);
  fuzzing::check_weights_file(bytes);
  std::optional<Safetensors> content;
  try {
    content = parse_safetensors(bytes, "x");
  } catch (const InputError&) {
    return 0;
  }
  compare_with_tree(*content, bytes);
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
