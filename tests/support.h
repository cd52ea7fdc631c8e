#pragma once
// What several tests need: a folder that vanishes, random cubes, error texts.

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include <snapcube/array.h>

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
