// snapcube_reconstructor_*, snapcube_reconstruct.

#include <fmt/format.h>
#include <limits>
#include <optional>

#include <snapcube/snapcube.h>
#include <snapcube/snapcube_c.h>

#include "c_api/arrays.h"
#include "c_api/guard.h"
#include "c_api/objects.h"

namespace snapcube::c_api {

Handles<snapcube_reconstructor, SharedReconstructor>& reconstructors() {
  static auto& handles = *new Handles<snapcube_reconstructor, SharedReconstructor>;
  return handles;
}

namespace {

Reconstructor::Settings to_settings(const char* const* texts) {
  Reconstructor::Settings settings;
  for (; texts && *texts; ++texts) {
    const std::string text = *texts;
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("snapcube", "settings", "NAME=VALUE", fmt::format("'{}'", text));
    }
    settings[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return settings;
}

}  // namespace

}  // namespace snapcube::c_api

using namespace snapcube;  // NOLINT(google-build-using-namespace): the functions below are C's

int snapcube_reconstructor_open(const char* method, const char* const* settings,
                                snapcube_reconstructor** reconstructor) {
  return c_api::guarded([&] {
    c_api::check_given(static_cast<const void*>(reconstructor), "reconstructor");
    *reconstructor = nullptr;
    const std::string name = method ? method : default_model().value_or("gap-tv");
    auto opened = std::make_shared<c_api::SharedReconstructor>(Reconstructor::open(name, c_api::to_settings(settings)));
    *reconstructor = c_api::reconstructors().add(std::move(opened));
  });
}

void snapcube_reconstructor_free(snapcube_reconstructor* reconstructor) {
  c_api::reconstructors().remove(reconstructor);
}

int snapcube_reconstructor_camera(const snapcube_reconstructor* reconstructor, snapcube_camera_options* options) {
  return c_api::guarded([&] {
    const auto shared = c_api::reconstructors().get(reconstructor, "reconstructor");
    c_api::check_given(options, "options");
    if (options->size != sizeof(snapcube_camera_options)) {
      throw InputError("snapcube", "options->size", fmt::format("{}", sizeof(snapcube_camera_options)),
                       fmt::format("{}", options->size));
    }
    shared->use([&](const Reconstructor& method) {
      const CameraOptions defaults = method.camera_defaults();
      *options = {sizeof(snapcube_camera_options),
                  defaults.bands,
                  defaults.step,
                  defaults.axis == Axis::rows ? SNAPCUBE_ROWS : SNAPCUBE_COLUMNS,
                  nullptr,
                  nullptr};
    });
  });
}

int snapcube_reconstruct(snapcube_reconstructor* reconstructor, const snapcube_camera* camera,
                         const snapcube_image* measurement, snapcube_cube* cube, snapcube_progress progress,
                         void* user) {
  return c_api::guarded([&] {
    const auto shared = c_api::reconstructors().get(reconstructor, "reconstructor");
    const auto device = c_api::cameras().get(camera, "camera");
    c_api::check_size(cube, device->bands(), device->height(), device->width(), "cube");
    c_api::check_output(cube, "cube");
    const Image seen = c_api::copy_in(measurement, "measurement");
    device->check_measurement(seen, "measurement");
    ProgressCallback callback;
    if (progress) {
      callback = [&](const Progress& p) {
        constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
        return progress(p.iteration, p.total, std::optional<double>(p.residual).value_or(kUnknown), user) == 0;
      };
    }
    Cube result;
    shared->use([&](Reconstructor& method) { result = method.reconstruct(seen, *device, callback); });
    c_api::copy_out(result, *cube);
  });
}

int snapcube_expected_error(const snapcube_reconstructor* reconstructor, snapcube_image* error) {
  return c_api::guarded([&] {
    const auto shared = c_api::reconstructors().get(reconstructor, "reconstructor");
    shared->use([&](const Reconstructor& method) {
      const Image* expected = method.expected_error();
      if (!expected) {
        throw InputError("snapcube", "reconstructor", "a network that expects an error, behind its first cube",
                         method.method());
      }
      c_api::check_size(error, expected->height(), expected->width(), "error");
      c_api::check_output(error, "error");
      c_api::copy_out(*expected, *error);
    });
  });
}
