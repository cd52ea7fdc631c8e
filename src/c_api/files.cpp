// snapcube_read_*, snapcube_write_*.

#include <cstdlib>
#include <fmt/format.h>
#include <memory>

#include <snapcube/snapcube.h>
#include <snapcube/snapcube_c.h>

#include "c_api/arrays.h"
#include "c_api/guard.h"

namespace snapcube::c_api {

namespace {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

/// Memory that the caller releases with snapcube_free.
template <typename T>
std::unique_ptr<T, Free> copied(std::span<const T> values) {
  std::unique_ptr<T, Free> memory(static_cast<T*>(std::malloc(values.size_bytes())));
  if (!memory) throw std::bad_alloc();
  std::ranges::copy(values, memory.get());
  return memory;
}

bool is_mask(int what) {
  if (what != SNAPCUBE_MEASUREMENT && what != SNAPCUBE_MASK) {
    throw InputError("snapcube", "what", "SNAPCUBE_MEASUREMENT or SNAPCUBE_MASK", fmt::format("{}", what));
  }
  return what == SNAPCUBE_MASK;
}

}  // namespace

}  // namespace snapcube::c_api

using namespace snapcube;  // NOLINT(google-build-using-namespace): the functions below are C's

int snapcube_read_cube(const char* location, snapcube_cube* cube, double** wavelengths) {
  return c_api::guarded([&] {
    if (wavelengths) *wavelengths = nullptr;
    c_api::check_given(cube, "cube");
    *cube = {};
    c_api::check_given(location, "location");
    const Cube read = read_cube(location);
    auto values = c_api::copied(read.values());
    if (wavelengths && !read.wavelengths.empty()) {
      *wavelengths = c_api::copied(std::span<const double>(read.wavelengths)).release();
    }
    const auto band = static_cast<std::ptrdiff_t>(read.band_size());
    *cube = {values.release(), read.bands(), read.height(), read.width(), band, read.width(), 1};
  });
}

int snapcube_read_image(const char* location, int what, snapcube_image* image) {
  return c_api::guarded([&] {
    c_api::check_given(image, "image");
    *image = {};
    c_api::check_given(location, "location");
    const Image read = c_api::is_mask(what) ? read_mask(location) : read_measurement(location);
    *image = {c_api::copied(read.values()).release(), read.height(), read.width(), read.width(), 1};
  });
}

int snapcube_write_cube(const snapcube_cube* cube, const double* wavelengths, const char* path) {
  return c_api::guarded([&] {
    c_api::check_given(path, "path");
    Cube values = c_api::copy_in(cube, "cube");
    values.wavelengths = c_api::copy_in(wavelengths, values.bands(), "wavelengths");
    write(values, path);
  });
}

int snapcube_write_image(const snapcube_image* image, int what, const char* path) {
  return c_api::guarded([&] {
    c_api::check_given(path, "path");
    const bool mask = c_api::is_mask(what);
    const Image values = c_api::copy_in(image, "image");
    mask ? write_mask(values, path) : write_measurement(values, path);
  });
}

void snapcube_free(void* memory) { std::free(memory); }
