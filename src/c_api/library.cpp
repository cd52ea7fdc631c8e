// Version, log, scores, and something to try the library with.

#include <snapcube/snapcube.h>
#include <snapcube/snapcube_c.h>

#include "c_api/arrays.h"
#include "c_api/guard.h"

using namespace snapcube;  // NOLINT(google-build-using-namespace): the functions below are C's

const char* snapcube_version(void) { return version(); }

void snapcube_set_log(snapcube_log log, void* user) {
  static_cast<void>(c_api::guarded([&] {
    if (!log) {
      set_log_sink({});
      return;
    }
    set_log_sink([log, user](LogLevel level, std::string_view message) {
      log(level == LogLevel::warning ? 1 : 0, std::string(message).c_str(), user);
    });
  }));
}

int snapcube_score(const snapcube_cube* cube, const snapcube_cube* truth, const char* protocol,
                   snapcube_scores* scores) {
  return c_api::guarded([&] {
    c_api::check_given(scores, "scores");
    const Protocol meant = protocol ? parse_protocol(protocol) : Protocol::toolbox;
    const Scores all = score(c_api::copy_in(cube, "cube"), c_api::copy_in(truth, "truth"), meant);
    *scores = {all.psnr, all.ssim, all.sam, all.ergas, all.rmse, all.uiqi};
  });
}

int snapcube_random_mask(double density, uint64_t seed, snapcube_image* mask) {
  return c_api::guarded([&] {
    c_api::check_output(mask, "mask");
    c_api::copy_out(random_mask(mask->height, mask->width, MaskKind::binary, density, seed), *mask);
  });
}

int snapcube_make_scene(const char* name, const double* wavelengths, uint64_t seed, snapcube_cube* scene) {
  return c_api::guarded([&] {
    c_api::check_given(name, "name");
    c_api::check_output(scene, "scene");
    const int bands = scene->bands;
    SceneOptions options{.height = scene->height, .width = scene->width, .seed = seed};
    if (wavelengths) {
      options.wavelengths = c_api::copy_in(wavelengths, bands, "wavelengths");
    } else if (bands != static_cast<int>(published_wavelengths().size())) {
      options.wavelengths = even_wavelengths(450, bands > 1 ? 200.0 / (bands - 1) : 1, bands);
    }
    c_api::copy_out(make_scene(name, options), *scene);
  });
}
