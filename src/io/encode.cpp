#include "io/encode.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "base/text.h"

namespace snapcube {

namespace {

template <typename T, typename From>
std::vector<std::byte> as_bytes_of(const From* values, std::size_t count) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    const T value = static_cast<T>(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

}  // namespace

Encoded encode(const SaveRequest& request) {
  const std::size_t count = static_cast<std::size_t>(std::max(1, request.bands)) * request.height * request.width;
  switch (request.type) {
    case SampleType::u8: {
      const Quantised q = quantise(request, SampleType::u8);
      return {ElementType::u8, as_bytes_of<std::uint8_t>(q.integers.data(), count), q.scale};
    }
    case SampleType::u16: {
      const Quantised q = quantise(request, SampleType::u16);
      return {ElementType::u16, as_bytes_of<std::uint16_t>(q.integers.data(), count), q.scale};
    }
    case SampleType::f64:
      return {ElementType::f64, as_bytes_of<double>(request.values, count), std::nullopt};
    case SampleType::automatic:
    case SampleType::f32:
      break;
  }
  return {ElementType::f32, as_bytes_of<float>(request.values, count), std::nullopt};
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

double positive_number(std::string_view text, const std::string& source, const std::string& field) {
  const std::optional<double> value = parse_double(trim(text));
  if (!value || !std::isfinite(*value) || *value <= 0) {
    throw InputError(source, field, "a number above 0", fmt::format("'{}'", text.substr(0, 40)));
  }
  return *value;
}

}  // namespace snapcube
