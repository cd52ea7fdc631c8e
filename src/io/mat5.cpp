#include "io/mat5.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>

#include <snapcube/error.h>

#include "base/text.h"
#include "io/byte_order.h"
#include "io/mat5_stream.h"

namespace snapcube::io {

namespace {

constexpr std::size_t kHeaderLength = 128;
constexpr std::uint32_t kMatrix = 14;      // an array: flags, dimensions, name, values
constexpr std::uint32_t kCompressed = 15;  // a zlib stream that holds one array
constexpr std::uint32_t kInt8 = 1;
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kUint32 = 6;
constexpr std::size_t kMaxRank = 32;
constexpr std::size_t kMaxName = 4096;

/// Types of the values as they are stored; MATLAB stores 1.0, 2.0, … as bytes even in a double
/// array.
std::optional<ElementType> stored_type(std::uint32_t code) {
  switch (code) {
    case 1:
      return ElementType::i8;
    case 2:
      return ElementType::u8;
    case 3:
      return ElementType::i16;
    case 4:
      return ElementType::u16;
    case 5:
      return ElementType::i32;
    case 6:
      return ElementType::u32;
    case 7:
      return ElementType::f32;
    case 9:
      return ElementType::f64;
    case 12:
      return ElementType::i64;
    case 13:
      return ElementType::u64;
    default:
      return std::nullopt;
  }
}

/// Types of the values as MATLAB's class() tells them.
std::optional<ElementType> class_type(std::uint32_t code) {
  static constexpr std::array kTypes{ElementType::f64, ElementType::f32, ElementType::i8,  ElementType::u8,
                                     ElementType::i16, ElementType::u16, ElementType::i32, ElementType::u32,
                                     ElementType::i64, ElementType::u64};
  if (code < 6 || code >= 6 + kTypes.size()) return std::nullopt;
  return kTypes[code - 6];
}

std::string class_name(std::uint32_t code) {
  static constexpr std::array kNames{"nothing", "cell", "struct", "object", "char", "sparse"};
  if (code < kNames.size()) return kNames[code];
  if (code == 16) return "function";
  if (code == 17) return "object";
  return fmt::format("class {}", code);
}

struct Tag {
  std::uint32_t type;
  std::uint32_t length;
  std::uint32_t in_tag;  ///< up to four bytes of data that stand in the tag itself
  bool small;
};

struct Variable {
  ArrayInfo info;
  ElementType type = ElementType::f64;
  bool logical = false;
};

/// Reads one variable, element by element.
class VariableReader {
 public:
  VariableReader(Mat5Stream& stream, bool swap, const std::string& source)
      : stream_(stream), swap_(swap), source_(source) {}

  /// Everything before the values. Nothing for an array without a name (MATLAB's own bookkeeping).
  std::optional<Variable> header() {
    const Tag tag = read_tag();
    if (tag.type != kUint32 || tag.length != 8 || tag.small) fail("array flags", tag);
    const std::uint32_t flags = read_word();
    read_word();  // only of use to sparse arrays
    const std::uint32_t code = flags & 0xFF;
    Variable variable;
    if (code != 17) variable.info.shape = read_dimensions();
    variable.info.name = read_name();
    if (variable.info.name.empty()) return std::nullopt;
    const auto type = class_type(code);
    const bool complex = (flags & 0x0800) != 0;
    variable.logical = (flags & 0x0200) != 0;
    variable.type = type.value_or(ElementType::f64);
    variable.info.type = !type ? class_name(code) : variable.logical ? "logical" : element_name(*type);
    if (type && complex) variable.info.type = "complex " + variable.info.type;
    const bool empty = std::ranges::count(variable.info.shape, 0) > 0;
    if (type && empty) variable.info.type = "empty " + variable.info.type;
    variable.info.readable = type && !complex && !empty;
    return variable;
  }

  std::vector<std::byte> values(const Variable& variable, std::uint64_t max_bytes) {
    const std::size_t size = element_size(variable.type);
    const std::uint64_t count = checked_elements(variable.info.shape, size, max_bytes, source_, "size");
    const Tag tag = read_tag();
    const auto stored = stored_type(tag.type);
    if (!stored) fail("numbers", tag);
    const std::size_t stored_size = element_size(*stored);
    if (tag.length != count * stored_size) {
      throw InputError(source_, "values",
                       fmt::format("{} bytes for {} {}", count * stored_size, shape_text(variable.info.shape),
                                   element_name(*stored)),
                       fmt::format("{}", tag.length));
    }
    if (!tag.small && !stream_.could_hold(tag.length)) {
      throw InputError(source_, "values", fmt::format("{} bytes", tag.length), "fewer (the file is cut or damaged)");
    }
    std::vector<std::byte> bytes(tag.length);
    read_data(tag, bytes);
    if (swap_) reverse_bytes(bytes, stored_size);
    return *stored == variable.type ? std::move(bytes) : widen(bytes, *stored, variable.type);
  }

 private:
  [[noreturn]] void fail(const std::string& expected, const Tag& tag) const {
    throw InputError(source_, "variable", expected,
                     fmt::format("an element of type {} and {} bytes", tag.type, tag.length));
  }

  std::uint32_t read_word() {
    std::array<std::byte, 4> bytes;
    stream_.read(bytes);
    if (swap_) std::ranges::reverse(bytes);
    std::uint32_t word;
    std::memcpy(&word, bytes.data(), 4);
    return word;
  }

  Tag read_tag() {
    const std::uint32_t first = read_word();
    const std::uint32_t second = read_word();
    if (first >> 16 == 0) return {first, second, 0, false};
    const Tag tag{first & 0xFFFF, first >> 16, second, true};
    if (tag.length > 4) fail("at most four bytes in a tag", tag);
    return tag;
  }

  /// The data of an element, and its padding to eight bytes.
  void read_data(const Tag& tag, std::span<std::byte> target) {
    if (!tag.small) {
      stream_.read(target);
      stream_.skip_padding((8 - target.size() % 8) % 8);
      return;
    }
    // In the file's byte order again: the caller swaps.
    std::array<std::byte, 4> bytes;
    std::memcpy(bytes.data(), &tag.in_tag, 4);
    if (swap_) std::ranges::reverse(bytes);
    std::copy_n(bytes.begin(), target.size(), target.begin());
  }

  std::vector<std::int64_t> read_dimensions() {
    const Tag tag = read_tag();
    if (tag.type != kInt32 || tag.length % 4 != 0 || tag.length < 4 || tag.length > 4 * kMaxRank) {
      fail("dimensions", tag);
    }
    std::vector<std::byte> bytes(tag.length);
    read_data(tag, bytes);
    if (swap_) reverse_bytes(bytes, 4);
    std::vector<std::int64_t> shape;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      std::int32_t extent;
      std::memcpy(&extent, bytes.data() + i, 4);
      if (extent < 0) throw InputError(source_, "variable", "sizes of at least 0", fmt::format("{}", extent));
      shape.push_back(extent);
    }
    return shape;
  }

  std::string read_name() {
    const Tag tag = read_tag();
    if (tag.type != kInt8 || tag.length > kMaxName) fail("a name", tag);
    std::string name(tag.length, '\0');
    read_data(tag, std::as_writable_bytes(std::span(name)));
    return name.substr(0, name.find('\0'));
  }

  template <typename From, typename To>
  static std::vector<std::byte> widen_as(const std::vector<std::byte>& bytes) {
    const std::size_t count = bytes.size() / sizeof(From);
    std::vector<std::byte> result(count * sizeof(To));
    for (std::size_t i = 0; i < count; ++i) {
      From from;
      std::memcpy(&from, bytes.data() + i * sizeof(From), sizeof(From));
      const To to = static_cast<To>(from);
      std::memcpy(result.data() + i * sizeof(To), &to, sizeof(To));
    }
    return result;
  }

  template <typename To>
  std::vector<std::byte> widen_to(const std::vector<std::byte>& bytes, ElementType stored) const {
    switch (stored) {
      case ElementType::u8:
        return widen_as<std::uint8_t, To>(bytes);
      case ElementType::i8:
        return widen_as<std::int8_t, To>(bytes);
      case ElementType::u16:
        return widen_as<std::uint16_t, To>(bytes);
      case ElementType::i16:
        return widen_as<std::int16_t, To>(bytes);
      case ElementType::u32:
        return widen_as<std::uint32_t, To>(bytes);
      case ElementType::i32:
        return widen_as<std::int32_t, To>(bytes);
      default:
        throw InputError(source_, "values", "integers of at most 32 bits in an array of floats", element_name(stored));
    }
  }

  /// Small integers that stand for the values of a float array.
  std::vector<std::byte> widen(const std::vector<std::byte>& bytes, ElementType stored, ElementType type) const {
    if (type == ElementType::f64) return widen_to<double>(bytes, stored);
    if (type == ElementType::f32) return widen_to<float>(bytes, stored);
    throw InputError(source_, "values", element_name(type), element_name(stored));
  }

  Mat5Stream& stream_;
  bool swap_;
  std::string source_;
};

/// Calls visit(stream, swap) for each variable until it returns true. The stream stands after the
/// array's tag.
void for_each_variable(std::span<const std::byte> bytes, const std::string& source,
                       const std::function<bool(Mat5Stream&, bool)>& visit) {
  if (!is_mat5(bytes)) throw InputError(source, "", "a MATLAB v5 file", "something else");
  const bool swap = std::to_integer<char>(bytes[126]) == 'M';
  const auto word_at = [&](std::span<const std::byte> at) {
    std::array<std::byte, 4> word;
    std::copy_n(at.begin(), 4, word.begin());
    if (swap) std::ranges::reverse(word);
    std::uint32_t value;
    std::memcpy(&value, word.data(), 4);
    return value;
  };
  std::span<const std::byte> rest = bytes.subspan(kHeaderLength);
  while (!rest.empty()) {
    if (rest.size() < 8) throw InputError(source, "variable", "a tag of 8 bytes", fmt::format("{}", rest.size()));
    const std::uint32_t type = word_at(rest);
    const std::uint32_t length = word_at(rest.subspan(4));
    rest = rest.subspan(8);
    if (type != kMatrix && type != kCompressed) {
      throw InputError(source, "variable", "an array", fmt::format("an element of type {}", type));
    }
    if (length > rest.size()) {
      throw InputError(source, "variable", fmt::format("{} more bytes", length),
                       fmt::format("{} (the file is cut)", rest.size()));
    }
    if (length > 0) {
      Mat5Stream stream(rest.first(length), type == kCompressed, source);
      if (type == kCompressed) stream.skip(8);  // the tag of the array inside; its parts are checked one by one
      if (visit(stream, swap)) return;
    }
    rest = rest.subspan(length);
  }
}

}  // namespace

bool is_mat5(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderLength) return false;
  const auto at = [&](std::size_t i) { return std::to_integer<char>(bytes[i]); };
  const bool little = at(126) == 'I' && at(127) == 'M' && at(125) == 1;
  const bool big = at(126) == 'M' && at(127) == 'I' && at(124) == 1;
  return little || big;
}

std::vector<ArrayInfo> list_mat5(std::span<const std::byte> bytes, const std::string& source) {
  std::vector<ArrayInfo> arrays;
  for_each_variable(bytes, source, [&](Mat5Stream& stream, bool swap) {
    if (auto variable = VariableReader(stream, swap, source).header()) arrays.push_back(std::move(variable->info));
    return false;
  });
  return arrays;
}

StoredArray load_mat5(std::span<const std::byte> bytes, const std::string& name, const std::string& source,
                      std::uint64_t max_bytes) {
  std::optional<StoredArray> array;
  for_each_variable(bytes, source, [&](Mat5Stream& stream, bool swap) {
    VariableReader reader(stream, swap, fmt::format("{}: '{}'", source, name));
    const auto variable = reader.header();
    if (!variable || variable->info.name != name) return false;
    if (!variable->info.readable) {
      throw InputError(source, fmt::format("'{}'", name), "an array of real numbers", variable->info.type);
    }
    array.emplace();
    array->name = name;
    array->shape = variable->info.shape;
    array->type = variable->type;
    array->logical = variable->logical;
    array->first_index_fastest = true;
    array->bytes = reader.values(*variable, max_bytes);
    stream.finish();
    return true;
  });
  if (!array) throw InputError(source, "", fmt::format("a variable '{}'", name), "none of that name");
  return std::move(*array);
}

}  // namespace snapcube::io
