#include "arrays.h"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <string>

#include <snapcube/error.h>

namespace snapcube::python {

namespace {

std::string shape_of(const py::array& array) {
  std::string text;
  for (py::ssize_t d = 0; d < array.ndim(); ++d) text += (d ? "×" : "") + std::to_string(array.shape(d));
  return text.empty() ? "a number" : text;
}

void check(const py::array& array, int dimensions, const char* name) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw InputError("array", name, expected, found);
  };
  if (array.ndim() != dimensions) refuse(fmt::format("{} dimensions", dimensions), shape_of(array));
  if (!array.dtype().equal(py::dtype::of<float>())) refuse("float32", py::str(array.dtype()).cast<std::string>());
  if (!(array.flags() & py::detail::npy_api::NPY_ARRAY_ALIGNED_)) refuse("aligned values", "others");
  for (int d = 0; d < dimensions; ++d) {
    if (array.shape(d) < 1 || array.shape(d) > std::numeric_limits<int>::max()) {
      refuse(fmt::format("sizes of 1 … {}", std::numeric_limits<int>::max()), shape_of(array));
    }
  }
}

/// rows × columns strided values, row after row. False if one of them is not finite.
bool gather(const char* from, py::ssize_t rows, py::ssize_t row_stride, py::ssize_t columns, py::ssize_t column_stride,
            float* to) {
  float sum = 0;  // NaN as soon as a value is NaN or infinite
  for (py::ssize_t y = 0; y < rows; ++y, to += columns) {
    const char* row = from + y * row_stride;
    for (py::ssize_t x = 0; x < columns; ++x) {
      to[x] = *reinterpret_cast<const float*>(row + x * column_stride);
      sum += to[x] * 0.0f;
    }
  }
  return sum == 0;
}

[[noreturn]] void refuse_values(const char* name) {
  throw InputError("array", name, "finite values", "NaN or infinity among them");
}

/// Keeps an object alive as long as the array that looks at it.
template <typename T>
py::capsule keep(std::unique_ptr<T> object) {
  py::capsule owner(object.get(), [](void* pointer) { delete static_cast<T*>(pointer); });
  static_cast<void>(object.release());
  return owner;
}

}  // namespace

Image to_image(const py::array& array, const char* name) {
  check(array, 2, name);
  Image image(static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)));
  const auto* data = static_cast<const char*>(array.data());
  if (!gather(data, array.shape(0), array.strides(0), array.shape(1), array.strides(1), image.data())) {
    refuse_values(name);
  }
  return image;
}

Cube to_cube(const py::array& array, const std::vector<double>& wavelengths, const char* name) {
  check(array, 3, name);
  const auto bands = static_cast<int>(array.shape(2));
  Cube cube(bands, static_cast<int>(array.shape(0)), static_cast<int>(array.shape(1)));
  if (!wavelengths.empty() && wavelengths.size() != static_cast<std::size_t>(bands)) {
    throw InputError("array", "wavelengths", fmt::format("one for each of {} bands", bands),
                     fmt::format("{}", wavelengths.size()));
  }
  const auto* data = static_cast<const char*>(array.data());
  for (int b = 0; b < bands; ++b) {
    if (!gather(data + b * array.strides(2), array.shape(0), array.strides(0), array.shape(1), array.strides(1),
                cube.band(b))) {
      refuse_values(name);
    }
  }
  cube.wavelengths = wavelengths;
  return cube;
}

py::array to_array(Image image) {
  auto kept = std::make_unique<Image>(std::move(image));
  const Image& values = *kept;
  const py::array::ShapeContainer shape{values.height(), values.width()};
  return py::array_t<float>(shape, values.data(), keep(std::move(kept)));
}

py::array to_array(Cube cube) {
  auto kept = std::make_unique<Cube>(std::move(cube));
  const Cube& values = *kept;
  const auto size = static_cast<py::ssize_t>(sizeof(float));
  const py::array::ShapeContainer shape{values.height(), values.width(), values.bands()};
  const py::array::StridesContainer strides{values.width() * size, size,
                                            static_cast<py::ssize_t>(values.band_size()) * size};
  return py::array_t<float>(shape, strides, values.data(), keep(std::move(kept)));
}

py::array to_array(Picture picture) {
  auto kept = std::make_unique<Picture>(std::move(picture));
  const Picture& pixels = *kept;
  const py::array::ShapeContainer shape{pixels.height, pixels.width, 3};
  return py::array_t<std::uint8_t>(shape, pixels.rgb.data(), keep(std::move(kept)));
}

py::tuple to_pair(Cube cube) {
  std::vector<double> wavelengths = cube.wavelengths;
  return py::make_tuple(to_array(std::move(cube)), std::move(wavelengths));
}

}  // namespace snapcube::python
