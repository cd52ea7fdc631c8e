#include <cstdio>

#include <snapcube/snapcube.h>

int main(int, char** argv) {
  const auto camera =
      snapcube::Camera{snapcube::random_mask(64, 64, snapcube::MaskKind::binary, 0.5, 1), {.bands = 28, .step = 2}};
  const snapcube::Cube scene = snapcube::make_scene("chart", {.height = 64, .width = 64});
  auto method = snapcube::Reconstructor::open("gap-tv");
  const snapcube::Cube cube = method.reconstruct(camera.forward(scene), camera);
  snapcube::write(cube, argv[1]);
  std::printf("%.2f dB\n", snapcube::psnr(cube, scene));
}
