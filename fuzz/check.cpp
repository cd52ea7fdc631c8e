#include "check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <pthread.h>
#include <unistd.h>

#include <snapcube/error.h>
#include <snapcube/log.h>

#include "io/convert.h"

/// There where a sanitizer is.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace snapcube::fuzzing {

using namespace io;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    set_log_sink({});
    path_ = (fs::temp_directory_path() / "snapcube-fuzz-XXXXXX").string();
    require(::mkdtemp(path_.data()) != nullptr, "a folder for files");
    // A child that crashes in a rehearsal is no finding: it shall not report to libFuzzer, nor find its folder.
    ::pthread_atfork(nullptr, nullptr, [] {
      if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(nullptr);
      require(::chdir("/") == 0, "the root folder");
    });
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The result, or nothing where the input is refused. Other exceptions are bugs and go on.
template <typename Call>
auto accepted(Call&& call) -> std::optional<decltype(call())> {
  try {
    return call();
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error says something");
    return std::nullopt;
  }
}

bool all_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float v) { return std::isfinite(v); });
}

bool plausible(const std::vector<double>& wavelengths) {
  return std::ranges::all_of(wavelengths, [](double v) { return std::isfinite(v) && v > 0; });
}

std::uint64_t elements_of(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t extent : shape) {
    require(extent > 0 && static_cast<std::uint64_t>(extent) <= kMaxBytes, "sizes above 0 and below the limit");
    count *= static_cast<std::uint64_t>(extent);
    require(count <= kMaxBytes, "no more elements than the limit");
  }
  return count;
}

void check_image(const StoredArray& array, Meaning meaning, const Selection& selection, const ReadOptions& options) {
  const auto image = accepted([&] { return to_image(array, meaning, selection, options); });
  if (!image) return;
  require(image->height() > 0 && image->width() > 0, "an image has pixels");
  require(image->size() == static_cast<std::size_t>(image->height()) * image->width(), "an image's size");
  require(all_finite(image->values()), "an image's values are finite");
}

void check_cube(const StoredArray& array, const Selection& selection, const ReadOptions& options) {
  const auto cube = accepted([&] { return to_cube(array, selection, options); });
  if (!cube) return;
  require(cube->bands() > 0 && cube->height() > 0 && cube->width() > 0, "a cube has values");
  require(cube->size() == cube->band_size() * cube->bands(), "a cube's size");
  require(all_finite(cube->values()), "a cube's values are finite");
  require(cube->wavelengths.empty() || std::ssize(cube->wavelengths) == cube->bands(), "a wavelength for each band");
  require(plausible(cube->wavelengths), "wavelengths are finite and above 0");
}

void check_array(const StoredArray& array, const ArrayInfo& described, const std::string& path,
                 const ReadOptions& options) {
  require(array.shape == described.shape, "the shape that was described");
  require(array.bytes.size() == elements_of(array.shape) * element_size(array.type), "as many bytes as the shape says");
  require(array.bytes.size() <= options.max_bytes, "no more bytes than the limit");
  Selection selection{path, array.name, {}};
  check_cube(array, selection, options);
  check_image(array, Meaning::measurement, selection, options);
  check_image(array, Meaning::mask, selection, options);
  if (array.shape.size() > 2) {
    selection.index = array.shape.front() - 1;
    check_cube(array, selection, options);
    check_image(array, Meaning::mask, selection, options);
  }
}

}  // namespace

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "must hold: %s\n", what);
  std::abort();
}

const std::string& folder() {
  static const Folder instance;
  return instance.path();
}

std::string put_file(const std::string& name, std::span<const std::byte> bytes) {
  const std::string path = folder() + "/" + name;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  require(file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fclose(file) == 0,
          "a file can be written");
  return path;
}

void check_file(const Format& format, const std::string& path) {
  ReadOptions options;
  options.max_bytes = kMaxBytes;
  const auto info = accepted([&] { return format.describe(path, options); });
  if (!info) return;
  require(plausible(info->wavelengths), "described wavelengths are finite and above 0");
  for (const ArrayInfo& described : info->arrays) {
    const auto array = accepted([&] { return format.load(path, described.name, options); });
    if (!array) continue;
    require(described.readable, "what cannot be read is not read");
    check_array(*array, described, path, options);
  }
}

}  // namespace snapcube::fuzzing
