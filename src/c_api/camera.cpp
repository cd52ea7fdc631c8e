// snapcube_camera_*, and what needs a camera only.

#include <fmt/format.h>
#include <limits>

#include <snapcube/snapcube.h>
#include <snapcube/snapcube_c.h>

#include "c_api/arrays.h"
#include "c_api/guard.h"
#include "c_api/objects.h"

namespace snapcube::c_api {

// Never destroyed: a thread of the host may call while the program ends.
Handles<snapcube_camera, const Camera>& cameras() {
  static auto& handles = *new Handles<snapcube_camera, const Camera>;
  return handles;
}

namespace {

CameraOptions to_options(const snapcube_camera_options* given) {
  if (!given) return {};
  if (given->size != sizeof(snapcube_camera_options)) {
    throw InputError("snapcube", "options->size", fmt::format("{}", sizeof(snapcube_camera_options)),
                     fmt::format("{}", given->size));
  }
  if (given->bands < 1) throw InputError("snapcube", "options->bands", "at least 1", fmt::format("{}", given->bands));
  if (given->axis != SNAPCUBE_COLUMNS && given->axis != SNAPCUBE_ROWS) {
    throw InputError("snapcube", "options->axis", "SNAPCUBE_COLUMNS or SNAPCUBE_ROWS", fmt::format("{}", given->axis));
  }
  return {.bands = given->bands,
          .step = given->step,
          .axis = given->axis == SNAPCUBE_ROWS ? snapcube::Axis::rows : snapcube::Axis::columns,
          .offsets = copy_in(given->offsets, given->bands, "options->offsets"),
          .wavelengths = copy_in(given->wavelengths, given->bands, "options->wavelengths")};
}

void add_camera(Image mask, const snapcube_camera_options* options, snapcube_camera** camera) {
  *camera = cameras().add(std::make_shared<const Camera>(std::move(mask), to_options(options)));
}

}  // namespace

}  // namespace snapcube::c_api

using namespace snapcube;  // NOLINT(google-build-using-namespace): the functions below are C's

int snapcube_camera_create(const snapcube_image* mask, const snapcube_camera_options* options,
                           snapcube_camera** camera) {
  return c_api::guarded([&] {
    c_api::check_given(static_cast<const void*>(camera), "camera");
    *camera = nullptr;
    c_api::add_camera(c_api::copy_in(mask, "mask"), options, camera);
  });
}

int snapcube_camera_read(const char* mask_location, const snapcube_camera_options* options, snapcube_camera** camera) {
  return c_api::guarded([&] {
    c_api::check_given(static_cast<const void*>(camera), "camera");
    *camera = nullptr;
    c_api::check_given(mask_location, "mask_location");
    c_api::add_camera(read_mask(mask_location), options, camera);
  });
}

void snapcube_camera_free(snapcube_camera* camera) { c_api::cameras().remove(camera); }

int snapcube_camera_sizes(const snapcube_camera* camera, snapcube_sizes* sizes) {
  return c_api::guarded([&] {
    const auto device = c_api::cameras().get(camera, "camera");
    c_api::check_given(sizes, "sizes");
    *sizes = {device->bands(), device->height(), device->width(), device->detector_height(), device->detector_width()};
  });
}

int snapcube_camera_bands(const snapcube_camera* camera, int bands, double* offsets, double* wavelengths) {
  return c_api::guarded([&] {
    const auto device = c_api::cameras().get(camera, "camera");
    if (bands != device->bands()) {
      throw InputError("snapcube", "bands", fmt::format("{}, the camera's", device->bands()), fmt::format("{}", bands));
    }
    if (offsets) std::ranges::copy(device->offsets(), offsets);
    if (!wavelengths) return;
    if (device->wavelengths().empty()) {
      std::fill_n(wavelengths, bands, std::numeric_limits<double>::quiet_NaN());
    } else {
      std::ranges::copy(device->wavelengths(), wavelengths);
    }
  });
}

int snapcube_simulate(const snapcube_camera* camera, const snapcube_cube* cube, const char* noise, uint64_t seed,
                      snapcube_image* measurement) {
  return c_api::guarded([&] {
    const auto device = c_api::cameras().get(camera, "camera");
    c_api::check_size(cube, device->bands(), device->height(), device->width(), "cube");
    c_api::check_size(measurement, device->detector_height(), device->detector_width(), "measurement");
    c_api::check_output(measurement, "measurement");
    const auto model = NoiseModel::parse(noise ? noise : "none", 2.4 / device->bands());
    Image seen = device->forward(c_api::copy_in(cube, "cube"));
    model.apply(seen, seed);
    c_api::copy_out(seen, *measurement);
  });
}
