// consumer OUTPUT: what another program does with the installed library.

#include <cstdio>
#include <cstring>

#include <snapcube/snapcube.h>

#if SNAPCUBE_VERSION < 200
#error "the version's macros"
#endif

int main(int, char** argv) {
  if (std::strcmp(snapcube::version(), SNAPCUBE_VERSION_STRING) != 0) return 1;
  const auto camera =
      snapcube::Camera{snapcube::random_mask(64, 64, snapcube::MaskKind::binary, 0.5, 1), {.bands = 28, .step = 2}};
  const snapcube::Cube scene = snapcube::make_scene("chart", {.height = 64, .width = 64});
  const snapcube::Image shot = camera.forward(scene);
  auto method = snapcube::Reconstructor::open("gap-tv");
  const snapcube::Cube cube = method.reconstruct(shot, camera);
  snapcube::write(cube, argv[1]);
  std::printf("gap-tv: %.2f dB\n", snapcube::psnr(cube, scene));

  // A model is found beside the library, wherever this program is.
  auto model = snapcube::Reconstructor::open_model("cst-s");
  snapcube::Cube again;
  model.reconstruct(shot, camera, again);
  std::printf("cst-s: %.2f dB\n", snapcube::psnr(again, scene));
  try {
    snapcube::Reconstructor::open("nonsense");
    return 1;
  } catch (const snapcube::InputError& error) {  // thrown in the library, caught here
    std::printf("%s\n", error.what());
  }
  return snapcube::psnr(again, scene) > 20 ? 0 : 1;
}
