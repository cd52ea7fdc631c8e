#pragma once
// The values of the files in tests/data/io: for band b, row y, column x they follow the formulas of its README.md.

#include <cmath>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <snapcube/array.h>

#include "io/format.h"
#include "support.h"

namespace snapcube::testing {

inline std::string io_file(const std::string& name) { return data_file("io/" + name); }

/// An 8-bit value.
inline int code(std::int64_t b, std::int64_t y, std::int64_t x) {
  return static_cast<int>((31 * b + 7 * y + 3 * x) % 251);
}

inline double pattern(io::ElementType type, std::int64_t b, std::int64_t y, std::int64_t x) {
  const auto large = static_cast<double>((3001 * b + 701 * y + 307 * x) % 65521);
  switch (type) {
    case io::ElementType::u8:
      return code(b, y, x);
    case io::ElementType::i8:
      return code(b, y, x) - 125;
    case io::ElementType::u16:
    case io::ElementType::u32:
    case io::ElementType::u64:
      return large;
    case io::ElementType::i16:
    case io::ElementType::i32:
    case io::ElementType::i64:
      return large - 32760;
    case io::ElementType::f16:
    case io::ElementType::f32:
    case io::ElementType::f64:
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
inline double element(const io::StoredArray& array, std::size_t index) {
  const std::byte* at = array.bytes.data() + index * element_size(array.type);
  switch (array.type) {
    case io::ElementType::u8:
      return value_as<std::uint8_t>(at);
    case io::ElementType::i8:
      return value_as<std::int8_t>(at);
    case io::ElementType::u16:
      return value_as<std::uint16_t>(at);
    case io::ElementType::i16:
      return value_as<std::int16_t>(at);
    case io::ElementType::u32:
      return value_as<std::uint32_t>(at);
    case io::ElementType::i32:
      return value_as<std::int32_t>(at);
    case io::ElementType::u64:
      return value_as<std::uint64_t>(at);
    case io::ElementType::i64:
      return value_as<std::int64_t>(at);
    case io::ElementType::f32:
      return value_as<float>(at);
    case io::ElementType::f64:
      return value_as<double>(at);
    case io::ElementType::f16:
      break;
  }
  throw std::logic_error("no value of this type");
}

/// Element (b, y, x) by the layout that the array states; a 2-D array has band 0 only.
inline double element(const io::StoredArray& a, std::int64_t b, std::int64_t y, std::int64_t x) {
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
inline void expect_values(const io::StoredArray& array, std::int64_t bands, std::int64_t height, std::int64_t width,
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

inline void expect_pattern(const io::StoredArray& array, io::ElementType type, std::int64_t bands, std::int64_t height,
                           std::int64_t width) {
  ASSERT_EQ(element_name(array.type), element_name(type));
  expect_values(array, bands, height, width, [type](auto b, auto y, auto x) { return pattern(type, b, y, x); });
}

/// What is to be written, in the given type.
template <typename Values>
io::SaveRequest request_of(const Values& values, SampleType type) {
  io::SaveRequest request = io::save_request(values);
  request.variable = "values";
  request.type = type;
  return request;
}

/// The integer that a value becomes: round(v/scale · largest).
inline double quantised(double value, double scale, double largest) { return std::round(value / scale * largest); }

// The cube of the arrays in .mat, .npy, .npz and .h5 files.
constexpr int kBands = 4;
constexpr int kHeight = 6;
constexpr int kWidth = 7;
const std::vector<double> kWavelengths{450, 500, 550, 650};

/// Every value of the cube is code / divisor (+ offset), to a relative tolerance.
inline void expect_codes(const Cube& cube, double divisor, double tolerance = 0, double offset = 0) {
  ASSERT_EQ(cube.bands(), kBands);
  ASSERT_EQ(cube.height(), kHeight);
  ASSERT_EQ(cube.width(), kWidth);
  for (int b = 0; b < kBands; ++b) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        const double expected = code(b, y, x) / divisor + offset;
        ASSERT_NEAR(cube(b, y, x), static_cast<float>(expected), tolerance * expected)
            << "band " << b << " row " << y << " column " << x;
      }
    }
  }
}

/// 1 where the code of the first band is even.
inline void expect_even_mask(const Image& mask) {
  ASSERT_EQ(mask.height(), kHeight);
  ASSERT_EQ(mask.width(), kWidth);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) ASSERT_EQ(mask(y, x), code(0, y, x) % 2 == 0 ? 1.0f : 0.0f);
  }
}

}  // namespace snapcube::testing
