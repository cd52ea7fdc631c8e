#pragma once
// What several tests need: a folder that vanishes, whole files, random cubes, error texts, the log.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <snapcube/array.h>
#include <snapcube/log.h>

#include "base/random.h"

namespace snapcube::testing {

/// A fresh folder, removed with everything in it at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "snapcube-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  bool is_empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::filesystem::path path_;
};

/// Uniform in [0,1).
inline Image random_image(int height, int width, std::uint64_t seed) {
  Image image(height, width);
  Random random(seed);
  for (float& v : image.values()) v = static_cast<float>(random.uniform());
  return image;
}

inline Cube random_cube(int bands, int height, int width, std::uint64_t seed) {
  Cube cube(bands, height, width);
  Random random(seed);
  for (float& v : cube.values()) v = static_cast<float>(random.uniform());
  return cube;
}

/// Path of a committed test file.
inline std::string data_file(const std::string& name) { return std::string(SNAPCUBE_TEST_DATA) + "/" + name; }

inline std::string file_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A new file each time: some file systems wait for the disk when an old one is overwritten.
inline void write_file(const std::string& path, const std::string& content) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary) << content;
}

inline void expect_contains(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

/// Collects the log in a scope, and keeps it off the screen.
class LogCapture {
 public:
  LogCapture()
      : before_(set_log_sink([this](LogLevel level, std::string_view message) {
          text_ += (level == LogLevel::warning ? "warning: " : "info: ") + std::string(message) + "\n";
        })) {}
  ~LogCapture() { set_log_sink(std::move(before_)); }
  LogCapture(const LogCapture&) = delete;
  LogCapture& operator=(const LogCapture&) = delete;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  LogSink before_;
};

/// The message of the error that `call` throws; fails the test if it throws none of that type.
template <typename ErrorType, typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const ErrorType& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error was thrown";
  return {};
}

}  // namespace snapcube::testing
