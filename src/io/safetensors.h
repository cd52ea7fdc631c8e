#pragma once
// safetensors: the length of the header (8 bytes, little-endian), the header, the elements of all tensors.
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [28, 28], "data_offsets": [0, 3136]}, …}
// Offsets count from the end of the header. The tensors cover the rest of the file without hole or overlap.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// In the order in which the reference implementation writes them, backwards: by alignment.
enum class TensorType { boolean, u8, i8, i16, f16, bf16, i32, f32, f64, i64 };

/// "BF16", as in a file.
std::string_view tensor_type_name(TensorType type);
/// Bytes of one element.
std::size_t tensor_element_size(TensorType type);

/// A tensor of a file in memory, row-major; does not own its elements.
struct TensorView {
  std::string name;
  TensorType type = TensorType::f32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> bytes;
};

struct Safetensors {
  std::vector<TensorView> tensors;  ///< in the order of their elements
  std::map<std::string, std::string> metadata;
};

/// Most bytes that a header may take, as in the reference implementation.
constexpr std::uint64_t kMaxSafetensorsHeader = 100'000'000;

/// Views into `file`, a whole file. Throws InputError for everything that the format does not allow.
Safetensors parse_safetensors(std::span<const std::byte> file, const std::string& source);

/// A whole file: largest alignment first, then by name; the same bytes for the same content in any order.
std::vector<std::byte> safetensors_file(Safetensors content);

/// The elements as floats. Throws InputError when they are integers.
FloatBuffer floats_of(const TensorView& tensor, const std::string& source);

}  // namespace snapcube
