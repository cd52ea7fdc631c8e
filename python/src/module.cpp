// snapcube._core: the library as Python's package uses it. Arrays are float32 and have the right number of dimensions
// already; names, defaults and documentation are the package's (python/snapcube).

#include <chrono>
#include <limits>
#include <optional>
#include <pybind11/functional.h>

#include <snapcube/snapcube.h>

#include "arrays.h"
#include "errors.h"
#include "log_queue.h"

namespace snapcube::python {

namespace {

using Wavelengths = std::vector<double>;

/// Computes without Python's lock, and sends the log afterwards.
template <typename Work>
auto unlocked(const Work& work) {
  const LogSender log;
  const py::gil_scoped_release released;
  return work();
}

/// Calls back into Python while the library computes: Ctrl-C, then the caller's function. What that raises stops the
/// reconstruction and is raised again when the library has returned.
class Listener {
 public:
  explicit Listener(py::object function) : function_(std::move(function)) {}

  bool operator()(const Progress& p) {
    // Ctrl-C need not be noticed within a millisecond, and Python's lock may be somebody else's for five.
    const auto now = std::chrono::steady_clock::now();
    const bool asked = !function_.is_none();
    if (!asked && now - last_ < kPause) return true;
    last_ = now;
    const py::gil_scoped_acquire locked;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (!asked) return true;
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      const py::object answer = function_(p.iteration, p.total, std::optional<double>(p.residual).value_or(kUnknown));
      return answer.is_none() || answer.cast<bool>();
    } catch (...) {
      raised_ = std::current_exception();
      return false;
    }
  }

  void rethrow() const {
    if (raised_) std::rethrow_exception(raised_);
  }

 private:
  static constexpr std::chrono::milliseconds kPause{20};
  py::object function_;
  std::exception_ptr raised_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

py::tuple reconstruct(Reconstructor& method, const py::array& measurement, const Camera& camera,
                      const py::object& progress) {
  const Image seen = to_image(measurement, "measurement");
  camera.check_measurement(seen, "array");
  Listener listener(progress);
  try {
    Cube cube =
        unlocked([&] { return method.reconstruct(seen, camera, [&](const Progress& p) { return listener(p); }); });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    return to_pair(std::move(cube));
  } catch (const Interrupted&) {
    listener.rethrow();
    throw;
  }
}

CubeLayout layout_of(const std::string& name) {
  if (name == "auto") return CubeLayout::automatic;
  if (name == "rows-columns-bands") return CubeLayout::height_width_bands;
  if (name == "bands-rows-columns") return CubeLayout::bands_height_width;
  if (name == "rows-bands-columns") return CubeLayout::height_bands_width;
  throw InputError("array", "layout", "auto, rows-columns-bands, bands-rows-columns or rows-bands-columns",
                   "'" + name + "'");
}

SampleType sample_type_of(const std::string& name) {
  if (name == "auto") return SampleType::automatic;
  if (name == "u8") return SampleType::u8;
  if (name == "u16") return SampleType::u16;
  if (name == "f32") return SampleType::f32;
  if (name == "f64") return SampleType::f64;
  throw InputError("array", "type", "auto, u8, u16, f32 or f64", "'" + name + "'");
}

WriteOptions write_options(const std::string& type, const std::string& variable) {
  return {.type = sample_type_of(type), .variable = variable};
}

py::dict to_dict(const ModelInfo& m) {
  py::dict entry;
  entry["name"] = m.name;
  entry["path"] = m.path;
  entry["network"] = m.network;
  entry["bands"] = m.bands;
  entry["step"] = m.step;
  entry["parameters"] = m.parameters;
  entry["bytes"] = m.bytes;
  entry["error"] = m.error;
  return entry;
}

py::dict to_dict(const MethodInfo& m) {
  py::dict entry;
  entry["name"] = m.name;
  entry["title"] = m.title;
  entry["description"] = m.description;
  py::list parameters;
  for (const MethodParameter& p : m.parameters) {
    parameters.append(py::make_tuple(p.name, p.default_value, p.description));
  }
  entry["parameters"] = parameters;
  return entry;
}

void add_camera(py::module_& m) {
  py::class_<Camera>(m, "Camera")
      .def(py::init([](const py::array& mask, int bands, int step, const std::string& axis,
                       const std::vector<double>& offsets, const Wavelengths& wavelengths) {
             if (axis != "columns" && axis != "rows") {
               throw InputError("array", "axis", "columns or rows", "'" + axis + "'");
             }
             const CameraOptions options{.bands = bands,
                                         .step = step,
                                         .axis = axis == "rows" ? Axis::rows : Axis::columns,
                                         .offsets = offsets,
                                         .wavelengths = wavelengths};
             return mask.ndim() == 3 ? Camera(to_cube(mask, {}, "mask"), options)
                                     : Camera(to_image(mask, "mask"), options);
           }),
           py::arg("mask"), py::arg("bands"), py::arg("step"), py::arg("axis"), py::arg("offsets"),
           py::arg("wavelengths"))
      .def_property_readonly("mask", [](const Camera& c) { return to_array(Image(c.mask())); })
      .def_property_readonly("bands", &Camera::bands)
      .def_property_readonly("shape", [](const Camera& c) { return py::make_tuple(c.height(), c.width(), c.bands()); })
      .def_property_readonly("detector_shape",
                             [](const Camera& c) { return py::make_tuple(c.detector_height(), c.detector_width()); })
      .def_property_readonly("axis", [](const Camera& c) { return c.axis() == Axis::rows ? "rows" : "columns"; })
      .def_property_readonly("offsets", &Camera::offsets)
      .def_property_readonly("wavelengths", &Camera::wavelengths)
      .def("forward",
           [](const Camera& c, const py::array& cube) {
             const Cube x = to_cube(cube, {}, "cube");
             return to_array(unlocked([&] { return c.forward(x); }));
           })
      .def("adjoint",
           [](const Camera& c, const py::array& measurement) {
             const Image y = to_image(measurement, "measurement");
             c.check_measurement(y, "array");
             return to_pair(unlocked([&] { return c.adjoint(y); }));
           })
      .def("shift_back",
           [](const Camera& c, const py::array& measurement) {
             const Image y = to_image(measurement, "measurement");
             c.check_measurement(y, "array");
             return to_pair(unlocked([&] { return c.shift_back(y); }));
           })
      .def("misfit",
           [](const Camera& c, const py::array& cube, const py::array& measurement) {
             const Cube x = to_cube(cube, {}, "cube");
             const Image y = to_image(measurement, "measurement");
             c.check_measurement(y, "array");
             return unlocked([&] { return c.misfit(x, y); });
           })
      .def("simulate", [](const Camera& c, const py::array& cube, const std::string& noise, std::uint64_t seed) {
        const auto model = NoiseModel::parse(noise, 2.4 / c.bands());
        const Cube x = to_cube(cube, {}, "scene");
        return to_array(unlocked([&] {
          Image y = c.forward(x);
          model.apply(y, seed);
          return y;
        }));
      });
}

void add_reconstructor(py::module_& m) {
  py::class_<Reconstructor>(m, "Reconstructor")
      .def(py::init([](const std::string& method, const Reconstructor::Settings& settings) {
             return unlocked([&] { return std::make_unique<Reconstructor>(Reconstructor::open(method, settings)); });
           }),
           py::arg("method"), py::arg("settings"))
      .def_property_readonly("method", &Reconstructor::method)
      .def_property_readonly("camera_defaults",
                             [](const Reconstructor& r) {
                               const CameraOptions o = r.camera_defaults();
                               return py::make_tuple(o.bands, o.step, o.axis == Axis::rows ? "rows" : "columns",
                                                     o.wavelengths);
                             })
      .def("fits", &Reconstructor::fits, py::arg("camera"))
      .def("reconstruct", reconstruct, py::arg("measurement"), py::arg("camera"), py::arg("progress"))
      .def_property_readonly("sparsity_map",
                             [](const Reconstructor& r) -> py::object {
                               const SparsityMap* map = r.sparsity_map();
                               if (!map) return py::none();
                               std::vector<std::array<int, 4>> kept;
                               kept.reserve(map->kept.size());
                               for (const Region& k : map->kept) kept.push_back({k.top, k.left, k.height, k.width});
                               return py::make_tuple(to_array(Image(map->values)), kept);
                             })
      .def_property_readonly("expected_error", [](const Reconstructor& r) -> py::object {
        const Image* error = r.expected_error();
        return error ? py::object(to_array(Image(*error))) : py::none();
      });
  m.def("default_model", &default_model);
  m.def("default_models", &default_models);
  m.def("models", [] {
    py::list list;
    for (const ModelInfo& model : unlocked([] { return installed_models(); })) list.append(to_dict(model));
    return list;
  });
  m.def("methods", [] {
    py::list list;
    for (const MethodInfo& method : methods()) list.append(to_dict(method));
    return list;
  });
}

// Python's lock stays held around files: h5py shares the HDF5 library with us, which takes one caller at a time, and
// h5py relies on that lock.
void add_files(py::module_& m) {
  m.def("read_cube", [](const std::string& location, const std::string& layout, const Wavelengths& wavelengths) {
    const LogSender log;
    return to_pair(read_cube(location, {.layout = layout_of(layout), .wavelengths = wavelengths}));
  });
  m.def("read_measurement", [](const std::string& location) {
    const LogSender log;
    return to_array(read_measurement(location));
  });
  m.def("read_mask", [](const std::string& location) {
    const LogSender log;
    return to_array(read_mask(location));
  });
  m.def("write_cube", [](const py::array& cube, const Wavelengths& wavelengths, const std::string& path,
                         const std::string& type, const std::string& variable) {
    const LogSender log;
    write(to_cube(cube, wavelengths, "cube"), path, write_options(type, variable));
  });
  m.def("write_measurement",
        [](const py::array& image, const std::string& path, const std::string& type, const std::string& variable) {
          const LogSender log;
          write_measurement(to_image(image, "measurement"), path, write_options(type, variable));
        });
  m.def("write_mask",
        [](const py::array& image, const std::string& path, const std::string& type, const std::string& variable) {
          const LogSender log;
          write_mask(to_image(image, "mask"), path, write_options(type, variable));
        });
  m.def("describe", [](const std::string& location) {
    const LogSender log;
    const FileInfo info = describe(location);
    py::list arrays;
    for (const ArrayInfo& a : info.arrays) arrays.append(py::make_tuple(a.name, a.shape, a.type, a.readable));
    return py::make_tuple(info.path, info.format, arrays, info.wavelengths);
  });
}

void add_measures(py::module_& m) {
  m.def("score", [](const py::array& image, const py::array& truth, const std::string& protocol) {
    const Protocol meant = parse_protocol(protocol);
    const Cube a = to_cube(image, {}, "cube");
    const Cube b = to_cube(truth, {}, "truth");
    const Scores s = unlocked([&] { return score(a, b, meant); });
    return py::make_tuple(s.psnr, s.ssim, s.sam, s.ergas, s.rmse, s.uiqi);
  });
  m.def("per_band",
        [](const py::array& image, const py::array& truth, const std::string& measure, const std::string& protocol) {
          const Protocol meant = parse_protocol(protocol);
          const Cube a = to_cube(image, {}, "cube");
          const Cube b = to_cube(truth, {}, "truth");
          return unlocked([&] { return measure == "ssim" ? ssim_per_band(a, b, meant) : psnr_per_band(a, b, meant); });
        });
  m.def("render", [](const py::array& cube, const Wavelengths& wavelengths, double exposure) {
    const Cube x = to_cube(cube, wavelengths, "cube");
    return to_array(unlocked([&] { return render_srgb(x, exposure); }));
  });
  m.def("preview", [](const py::array& cube, const Wavelengths& wavelengths, const std::string& title,
                      const py::object& measurement, const py::object& truth) {
    const Cube x = to_cube(cube, wavelengths, "cube");
    Image y;
    Cube t;
    PreviewOptions options{.title = title};
    if (!measurement.is_none()) {
      y = to_image(measurement.cast<py::array>(), "measurement");
      options.measurement = &y;
    }
    if (!truth.is_none()) {
      t = to_cube(truth.cast<py::array>(), wavelengths, "truth");
      options.truth = &t;
    }
    return to_array(unlocked([&] { return render_preview(x, options); }));
  });
  m.def("resample", [](const py::array& cube, const Wavelengths& from, const Wavelengths& to, bool monotone) {
    const Cube x = to_cube(cube, from, "cube");
    return to_pair(
        unlocked([&] { return resample(x, to, monotone ? Interpolation::monotone : Interpolation::linear, "array"); }));
  });
}

void add_scenes(py::module_& m) {
  m.def("scene",
        [](const std::string& name, int height, int width, const Wavelengths& wavelengths, std::uint64_t seed) {
          return to_pair(unlocked([&] {
            return make_scene(name, {.height = height, .width = width, .wavelengths = wavelengths, .seed = seed});
          }));
        });
  m.def("scene_kinds", [] {
    std::vector<std::string> names;
    for (const SceneKind& kind : scene_kinds()) names.push_back(kind.name);
    return names;
  });
  m.def("random_mask", [](int height, int width, bool grey, double density, std::uint64_t seed) {
    return to_array(random_mask(height, width, grey ? MaskKind::grey : MaskKind::binary, density, seed));
  });
  m.def("published_wavelengths", [] { return published_wavelengths(); });
}

}  // namespace

PYBIND11_MODULE(_core, m) {
  m.attr("__version__") = version();
  translate_errors();
  queue_log();
  add_camera(m);
  add_reconstructor(m);
  add_files(m);
  add_measures(m);
  add_scenes(m);
}

}  // namespace snapcube::python
