#include "errors.h"

#include <pybind11/pybind11.h>
#include <string>

#include <snapcube/error.h>

namespace snapcube::python {

namespace py = pybind11;

namespace {

/// Names of files need not be UTF-8.
py::object text(const std::string& bytes) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace"));
}

py::object part(const std::string& bytes) { return bytes.empty() ? py::object(py::none()) : text(bytes); }

py::object exception_class(const char* name) { return py::module_::import("snapcube._errors").attr(name); }

void raise(const char* name, const std::string& message) {
  const py::object type = exception_class(name);
  PyErr_SetObject(type.ptr(), text(message).ptr());
}

void raise(const InputError& error) {
  // Arrays have no file.
  const bool in_memory = error.source() == "array";
  const py::object type = exception_class("InputError");
  const py::object value = type(text(error.what()), in_memory ? py::object(py::none()) : part(error.source()),
                                part(error.field()), part(error.expected()), part(error.found()));
  PyErr_SetObject(type.ptr(), value.ptr());
}

}  // namespace

void translate_errors() {
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Interrupted& error) {
      raise("Interrupted", error.what());
    } catch (const InputError& error) {
      raise(error);
    } catch (const Error& error) {
      raise("Error", error.what());
    }
  });
}

}  // namespace snapcube::python
