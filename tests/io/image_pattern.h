#pragma once
// The values of the files in tests/data/io, by the formulas of make_images.py, and what the tests
// of ENVI, TIFF and PNG do alike: compare every element, cut files short.

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "io/format.h"
#include "support.h"

namespace snapcube::testing {

inline double pattern(ElementType type, std::int64_t b, std::int64_t y, std::int64_t x) {
  const auto small = static_cast<double>((31 * b + 7 * y + 3 * x) % 251);
  const auto large = static_cast<double>((3001 * b + 701 * y + 307 * x) % 65521);
  switch (type) {
    case ElementType::u8:
      return small;
    case ElementType::i8:
      return small - 125;
    case ElementType::u16:
    case ElementType::u32:
    case ElementType::u64:
      return large;
    case ElementType::i16:
    case ElementType::i32:
    case ElementType::i64:
      return large - 32760;
    case ElementType::f16:
    case ElementType::f32:
    case ElementType::f64:
      break;
  }
  return large / 65536;
}

inline double bit_pattern(std::int64_t y, std::int64_t x) { return (3 * y + 5 * x) % 7 < 3 ? 1 : 0; }

template <typename T>
double value_as(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

/// Element at a position of the memory; not for f16.
inline double element(const StoredArray& array, std::size_t index) {
  const std::byte* at = array.bytes.data() + index * element_size(array.type);
  switch (array.type) {
    case ElementType::u8:
      return value_as<std::uint8_t>(at);
    case ElementType::i8:
      return value_as<std::int8_t>(at);
    case ElementType::u16:
      return value_as<std::uint16_t>(at);
    case ElementType::i16:
      return value_as<std::int16_t>(at);
    case ElementType::u32:
      return value_as<std::uint32_t>(at);
    case ElementType::i32:
      return value_as<std::int32_t>(at);
    case ElementType::u64:
      return value_as<std::uint64_t>(at);
    case ElementType::i64:
      return value_as<std::int64_t>(at);
    case ElementType::f32:
      return value_as<float>(at);
    case ElementType::f64:
      return value_as<double>(at);
    case ElementType::f16:
      break;
  }
  throw std::logic_error("no value of this type");
}

/// Element (b, y, x) by the layout that the array states; a 2-D array has band 0 only.
inline double element(const StoredArray& a, std::int64_t b, std::int64_t y, std::int64_t x) {
  const auto& s = a.shape;
  std::int64_t index = 0;
  if (s.size() == 2) {
    index = y * s[1] + x;
  } else if (a.layout == CubeLayout::bands_height_width) {
    index = (b * s[1] + y) * s[2] + x;
  } else if (a.layout == CubeLayout::height_bands_width) {
    index = (y * s[1] + b) * s[2] + x;
  } else {
    index = (y * s[1] + x) * s[2] + b;
  }
  return element(a, static_cast<std::size_t>(index));
}

/// Checks size, type and every element; `value` gives what element (b, y, x) must be.
inline void expect_values(const StoredArray& array, std::int64_t bands, std::int64_t height, std::int64_t width,
                          const std::function<double(std::int64_t, std::int64_t, std::int64_t)>& value) {
  std::size_t elements = 1;
  for (const std::int64_t extent : array.shape) elements *= static_cast<std::size_t>(extent);
  ASSERT_EQ(elements, static_cast<std::size_t>(bands * height * width));
  ASSERT_EQ(array.bytes.size(), elements * element_size(array.type));
  for (std::int64_t b = 0; b < bands; ++b) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        ASSERT_EQ(element(array, b, y, x), value(b, y, x)) << b << ' ' << y << ' ' << x;
      }
    }
  }
}

inline void expect_pattern(const StoredArray& array, ElementType type, std::int64_t bands, std::int64_t height,
                           std::int64_t width) {
  ASSERT_EQ(element_name(array.type), element_name(type));
  expect_values(array, bands, height, width, [type](auto b, auto y, auto x) { return pattern(type, b, y, x); });
}

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A new file each time: some file systems wait for the disk when an old one is overwritten.
inline void write_content(const std::string& path, const std::string& content) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << content;
}

/// Writes every beginning of `content` to `path` and loads it. Each gives an InputError or, where
/// what is missing does not matter, the same values as the whole. Returns how many were refused.
inline std::size_t load_every_truncation(const Format& format, const std::string& path, const std::string& content,
                                         const std::string& loaded) {
  write_content(path, content);
  const StoredArray whole = format.load(loaded, "", {});
  std::size_t refused = 0;
  for (std::size_t length = 0; length < content.size(); ++length) {
    write_content(path, content.substr(0, length));
    try {
      EXPECT_TRUE(format.load(loaded, "", {}).bytes == whole.bytes) << "cut at " << length;
    } catch (const InputError&) {
      ++refused;
    }
  }
  return refused;
}

/// Changes every byte in turn, in a few ways, and loads: an InputError or some values, no crash.
inline void load_every_damage(const Format& format, const std::string& path, const std::string& content,
                              const std::string& loaded) {
  ReadOptions options;
  options.max_bytes = 1 << 20;
  for (std::size_t i = 0; i < content.size(); ++i) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = content;
      damaged[i] = static_cast<char>(damaged[i] ^ change);
      write_content(path, damaged);
      try {
        format.load(loaded, "", options);
      } catch (const InputError&) {
      }
    }
  }
}

/// What the library logs in this scope.
class LogCapture {
 public:
  LogCapture() {
    set_log_sink([this](LogLevel, std::string_view message) { text_ += std::string(message) + '\n'; });
  }
  ~LogCapture() {
    set_log_sink([](LogLevel, std::string_view) {});
  }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;
  bool contains(const std::string& part) const { return text_.find(part) != std::string::npos; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline SaveRequest cube_request(const Cube& cube, SampleType type) {
  SaveRequest request;
  request.values = cube.data();
  request.bands = cube.bands();
  request.height = cube.height();
  request.width = cube.width();
  request.wavelengths = cube.wavelengths;
  request.variable = "cube";
  request.type = type;
  return request;
}

inline SaveRequest image_request(const Image& image, SampleType type) {
  SaveRequest request;
  request.values = image.data();
  request.height = image.height();
  request.width = image.width();
  request.variable = "meas";
  request.type = type;
  return request;
}

/// The integer that a value becomes: round(v/scale · largest).
inline double quantised(double value, double scale, double largest) { return std::round(value / scale * largest); }

}  // namespace snapcube::testing
