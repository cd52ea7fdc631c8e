#include "io/safetensors.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <unordered_set>
#include <utility>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/half.h"
#include "io/safetensors_header.h"

namespace snapcube {

using namespace io;

namespace {

static_assert(std::endian::native == std::endian::little);

struct TypeFacts {
  std::string_view name;
  std::size_t size;
};
// In the order of TensorType.
constexpr TypeFacts kTypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"F16", 2},
                                {"BF16", 2}, {"I32", 4}, {"F32", 4}, {"F64", 8}, {"I64", 8}};

const TypeFacts& facts(TensorType type) { return kTypes[static_cast<std::size_t>(type)]; }

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kHeaderAlignment = 8;

/// Bytes of a tensor; nothing when they are more than 64 bits can count.
std::optional<std::uint64_t> bytes_of(TensorType type, const std::vector<std::int64_t>& shape) {
  std::uint64_t bytes = facts(type).size;
  for (const std::int64_t extent : shape) {
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) return std::nullopt;
  }
  return bytes;
}

void check_extent(const SafetensorsHeader::Entry& entry, std::uint64_t previous_end, std::uint64_t data_size,
                  const std::string& source) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw InputError(source, "tensor " + quoted_name(entry.name), expected, found);
  };
  if (entry.end < entry.begin || entry.end > data_size) {
    refuse(fmt::format("data_offsets inside the {} bytes of elements, the smaller one first", data_size),
           fmt::format("{} and {}", entry.begin, entry.end));
  }
  if (entry.begin != previous_end) {
    refuse(fmt::format("its elements at byte {}, where the tensor before it ends", previous_end),
           fmt::format("{} at byte {}", entry.begin < previous_end ? "an overlap" : "a hole", entry.begin));
  }
  const std::optional<std::uint64_t> bytes = bytes_of(entry.type, entry.shape);
  if (bytes != entry.end - entry.begin) {
    refuse(fmt::format("{} bytes for {} of {}", bytes ? std::to_string(*bytes) : "too many", shape_text(entry.shape),
                       facts(entry.type).name),
           fmt::format("{}", entry.end - entry.begin));
  }
}

std::string header_text(const Safetensors& content) {
  const auto json = [](const std::string& text) { return nlohmann::json(text).dump(); };
  std::vector<std::string> entries;
  if (!content.metadata.empty()) {
    std::vector<std::string> pairs;
    for (const auto& [key, value] : content.metadata) pairs.push_back(json(key) + ":" + json(value));
    entries.push_back(fmt::format(R"("__metadata__":{{{}}})", fmt::join(pairs, ",")));
  }
  std::uint64_t begin = 0;
  for (const TensorView& tensor : content.tensors) {
    const std::uint64_t end = begin + tensor.bytes.size();
    entries.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json(tensor.name),
                                  facts(tensor.type).name, fmt::join(tensor.shape, ","), begin, end));
    begin = end;
  }
  std::string text = fmt::format("{{{}}}", fmt::join(entries, ","));
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  return text;
}

/// What no file could say.
void check_content(const Safetensors& content) {
  std::unordered_set<std::string_view> names = {"__metadata__"};
  for (const TensorView& tensor : content.tensors) {
    if (!names.insert(tensor.name).second) throw std::logic_error("tensor name used twice: " + tensor.name);
    const bool negative = std::ranges::any_of(tensor.shape, [](std::int64_t extent) { return extent < 0; });
    if (negative || bytes_of(tensor.type, tensor.shape) != tensor.bytes.size()) {
      throw std::logic_error("tensor whose shape does not fit its elements: " + tensor.name);
    }
  }
}

template <typename Stored, typename Convert>
FloatBuffer converted(std::span<const std::byte> bytes, Convert convert) {
  FloatBuffer values(bytes.size() / sizeof(Stored));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Stored stored;
    std::memcpy(&stored, bytes.data() + i * sizeof(Stored), sizeof(Stored));
    values[i] = convert(stored);
  }
  return values;
}

}  // namespace

std::string_view tensor_type_name(TensorType type) { return facts(type).name; }

std::size_t tensor_element_size(TensorType type) { return facts(type).size; }

Safetensors parse_safetensors(std::span<const std::byte> file, const std::string& source) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw InputError(source, "header", expected, found);
  };
  if (file.size() < kLengthBytes) {
    refuse(fmt::format("a length of {} bytes", kLengthBytes), fmt::format("a file of {}", file.size()));
  }
  std::uint64_t length;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kMaxSafetensorsHeader) {
    refuse(fmt::format("at most {} bytes", kMaxSafetensorsHeader), fmt::format("{}", length));
  }
  if (length > file.size() - kLengthBytes) {
    refuse(fmt::format("{} bytes, as announced", length), fmt::format("{}", file.size() - kLengthBytes));
  }
  const std::string_view json(reinterpret_cast<const char*>(file.data()) + kLengthBytes, length);
  SafetensorsHeader header = parse_safetensors_header(json, source);
  const std::span<const std::byte> data = file.subspan(kLengthBytes + length);

  std::ranges::sort(header.entries, {}, [](const auto& entry) { return std::tie(entry.begin, entry.end, entry.name); });
  Safetensors content;
  content.metadata = std::move(header.metadata);
  content.tensors.reserve(header.entries.size());
  std::uint64_t end = 0;
  for (auto& entry : header.entries) {
    check_extent(entry, end, data.size(), source);
    content.tensors.push_back({std::move(entry.name), entry.type, std::move(entry.shape),
                               data.subspan(entry.begin, entry.end - entry.begin)});
    end = entry.end;
  }
  if (end != data.size()) {
    throw InputError(source, "", fmt::format("{} bytes of elements, as the tensors take", end),
                     fmt::format("{}", data.size()));
  }
  return content;
}

std::vector<std::byte> safetensors_file(Safetensors content) {
  check_content(content);
  std::ranges::sort(content.tensors, [](const TensorView& a, const TensorView& b) {
    return a.type != b.type ? a.type > b.type : a.name < b.name;
  });
  const std::string header = header_text(content);
  const std::uint64_t length = header.size();
  std::size_t size = kLengthBytes + header.size();
  for (const TensorView& tensor : content.tensors) size += tensor.bytes.size();
  std::vector<std::byte> file(size);
  auto end = std::ranges::copy(std::as_bytes(std::span(&length, 1)), file.begin()).out;
  end = std::ranges::copy(std::as_bytes(std::span(header)), end).out;
  for (const TensorView& tensor : content.tensors) end = std::ranges::copy(tensor.bytes, end).out;
  return file;
}

FloatBuffer floats_of(const TensorView& tensor, const std::string& source) {
  switch (tensor.type) {
    case TensorType::f64:
      return converted<double>(tensor.bytes, [](double v) { return static_cast<float>(v); });
    case TensorType::f32:
      return converted<float>(tensor.bytes, [](float v) { return v; });
    case TensorType::f16:
      return converted<std::uint16_t>(tensor.bytes, float_from_half);
    case TensorType::bf16:
      return converted<std::uint16_t>(tensor.bytes, float_from_bfloat);
    default:
      throw InputError(source, "tensor " + quoted_name(tensor.name), "F64, F32, F16 or BF16",
                       std::string(tensor_type_name(tensor.type)));
  }
}

}  // namespace snapcube
