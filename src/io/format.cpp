#include "io/format.h"

#include <cmath>
#include <fmt/format.h>
#include <set>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube::io {

std::size_t element_size(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return 1;
    case ElementType::u16:
    case ElementType::i16:
    case ElementType::f16:
      return 2;
    case ElementType::u32:
    case ElementType::i32:
    case ElementType::f32:
      return 4;
    case ElementType::u64:
    case ElementType::i64:
    case ElementType::f64:
      break;
  }
  return 8;
}

std::string element_name(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "uint8";
    case ElementType::i8:
      return "int8";
    case ElementType::u16:
      return "uint16";
    case ElementType::i16:
      return "int16";
    case ElementType::u32:
      return "uint32";
    case ElementType::i32:
      return "int32";
    case ElementType::u64:
      return "uint64";
    case ElementType::i64:
      return "int64";
    case ElementType::f16:
      return "float16";
    case ElementType::f32:
      return "float32";
    case ElementType::f64:
      break;
  }
  return "float64";
}

bool is_integer(ElementType type) {
  return type != ElementType::f16 && type != ElementType::f32 && type != ElementType::f64;
}

double largest_integer(ElementType type) {
  const bool is_signed =
      type == ElementType::i8 || type == ElementType::i16 || type == ElementType::i32 || type == ElementType::i64;
  const int bits = static_cast<int>(8 * element_size(type)) - (is_signed ? 1 : 0);
  return std::ldexp(1.0, bits) - 1;
}

std::uint64_t checked_elements(const std::vector<std::int64_t>& shape, std::size_t bytes_per_element,
                               std::uint64_t max_bytes, const std::string& source, const std::string& field) {
  const std::uint64_t limit = max_bytes / bytes_per_element;
  std::uint64_t count = 1;
  bool too_many = false;
  for (const std::int64_t extent : shape) {
    if (extent <= 0) throw InputError(source, field, "positive sizes", shape_text(shape));
    too_many = too_many || static_cast<std::uint64_t>(extent) > limit / count;
    if (!too_many) count *= static_cast<std::uint64_t>(extent);
  }
  if (too_many || count > limit) {
    throw InputError(source, field, fmt::format("at most {} bytes (the limit for reading)", max_bytes),
                     fmt::format("{} elements of {} bytes", shape_text(shape), bytes_per_element));
  }
  return count;
}

void check_names(const FileInfo& file) {
  std::set<std::string> names;
  for (const ArrayInfo& array : file.arrays) {
    if (!names.insert(array.name).second) {
      throw InputError(file.path, "names", "each once", fmt::format("'{}' twice", array.name));
    }
  }
}

SaveRequest save_request(const Cube& cube) {
  SaveRequest request;
  request.values = cube.data();
  request.bands = cube.bands();
  request.height = cube.height();
  request.width = cube.width();
  request.wavelengths = cube.wavelengths;
  return request;
}

SaveRequest save_request(const Image& image) {
  SaveRequest request;
  request.values = image.data();
  request.height = image.height();
  request.width = image.width();
  return request;
}

}  // namespace snapcube::io
