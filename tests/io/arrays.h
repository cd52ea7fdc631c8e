#pragma once
// The cube that tests/data/io/make_arrays.py describes, and what the library said meanwhile.

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/log.h>

#include "support.h"

namespace snapcube::testing {

constexpr int kBands = 4;
constexpr int kHeight = 6;
constexpr int kWidth = 7;
const std::vector<double> kWavelengths{450, 500, 550, 650};

inline int code(int b, int y, int x) { return (31 * b + 7 * y + 3 * x) % 251; }

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

inline std::string array_file(const std::string& name) { return data_file("io/" + name); }

/// Collects the log in a scope, and keeps it off the screen.
class LogCapture {
 public:
  LogCapture() {
    set_log_sink([this](LogLevel level, std::string_view message) {
      text_ += (level == LogLevel::warning ? "warning: " : "info: ") + std::string(message) + "\n";
    });
  }
  ~LogCapture() { set_log_sink({}); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& content) {
  std::filesystem::remove(path);  // a new file: ext4 flushes one that is cut to nothing and written again
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace snapcube::testing
