#pragma once
// Between NumPy's arrays and the library's containers.

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <vector>

#include <snapcube/array.h>
#include <snapcube/render.h>

namespace snapcube::python {

namespace py = pybind11;

/// A copy of rows × columns; any strides. Throws InputError unless it is float32, aligned, finite and not empty; `name`
/// is the argument's.
Image to_image(const py::array& array, const char* name);
/// A copy of rows × columns × bands.
Cube to_cube(const py::array& array, const std::vector<double>& wavelengths, const char* name);

/// An array that owns the values: nothing is copied.
py::array to_array(Image image);
/// rows × columns × bands, a view of the cube's memory, in which band follows band.
py::array to_array(Cube cube);
/// rows × columns × 3, bytes.
py::array to_array(Picture picture);

/// (array, wavelengths).
py::tuple to_pair(Cube cube);

}  // namespace snapcube::python
