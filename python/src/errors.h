#pragma once
// Errors of the library as exceptions of Python.

namespace snapcube::python {

/// snapcube::InputError becomes snapcube.InputError with its parts, and so on.
void translate_errors();

}  // namespace snapcube::python
