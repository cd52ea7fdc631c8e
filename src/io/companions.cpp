#include "io/companions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace snapcube::io {

namespace {

template <typename T>
std::vector<double> widened(const std::vector<std::byte>& bytes) {
  std::vector<double> values(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
  return values;
}

/// Groups of HDF5 files are part of an array's name; the last part tells what it is.
std::string_view last_part(std::string_view name) {
  const auto slash = name.rfind('/');
  return slash == std::string_view::npos ? name : name.substr(slash + 1);
}

}  // namespace

bool is_wavelength_name(std::string_view name) {
  static constexpr std::array kNames{"wavelengths", "wavelength", "wavelengths_nm", "wavelength_nm", "lambda",
                                     "lambdas",     "wl",         "wave",           "bands",         "band_centers"};
  return std::ranges::count(kNames, lower(last_part(name))) > 0;
}

std::string scale_name(std::string_view variable) { return std::string(variable) + "_scale"; }

std::optional<std::uint64_t> vector_length(const ArrayInfo& array) {
  if (!array.readable) return std::nullopt;
  std::uint64_t length = 1;
  for (const std::int64_t extent : array.shape) {
    if (extent != 1 && length != 1) return std::nullopt;
    if (extent < 1 || static_cast<std::uint64_t>(extent) > kMaxWavelengths) return std::nullopt;
    length *= static_cast<std::uint64_t>(extent);
  }
  return length;
}

bool is_companion(const ArrayInfo& array, const FileInfo& file) {
  if (!vector_length(array)) return false;
  if (is_wavelength_name(array.name)) return true;
  return std::ranges::any_of(file.arrays, [&](const ArrayInfo& other) { return array.name == scale_name(other.name); });
}

std::vector<double> as_doubles(const StoredArray& array) {
  switch (array.type) {
    case ElementType::u8:
      return widened<std::uint8_t>(array.bytes);
    case ElementType::i8:
      return widened<std::int8_t>(array.bytes);
    case ElementType::u16:
      return widened<std::uint16_t>(array.bytes);
    case ElementType::i16:
      return widened<std::int16_t>(array.bytes);
    case ElementType::u32:
      return widened<std::uint32_t>(array.bytes);
    case ElementType::i32:
      return widened<std::int32_t>(array.bytes);
    case ElementType::u64:
      return widened<std::uint64_t>(array.bytes);
    case ElementType::i64:
      return widened<std::int64_t>(array.bytes);
    case ElementType::f32:
      return widened<float>(array.bytes);
    case ElementType::f64:
      return widened<double>(array.bytes);
    case ElementType::f16:
      break;  // three decimal digits are too few for a wavelength or a scale
  }
  return {};
}

bool plausible_wavelengths(const std::vector<double>& values) {
  return !values.empty() && std::ranges::all_of(values, [](double v) { return v >= 100 && v <= 20'000; });
}

}  // namespace snapcube::io
