// overhead CALLS: seconds of the median of CALLS reconstructions of 256×256 by one iteration of GAP-TV, called from
// C++.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <snapcube/snapcube.h>

int main(int, char** argv) {
  const int calls = std::atoi(argv[1]);
  const snapcube::Camera camera{snapcube::random_mask(256, 256, snapcube::MaskKind::binary, 0.5, 1)};
  const snapcube::Image shot = camera.forward(snapcube::make_scene("chart"));
  auto method = snapcube::Reconstructor::open("gap-tv", {{"iterations", "1"}});
  std::vector<double> seconds;
  for (int i = 0; i < calls + 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const snapcube::Cube cube = method.reconstruct(shot, camera);
    if (i >= 5) seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(seconds, seconds.begin() + calls / 2);
  std::printf("%.9f\n", seconds[static_cast<std::size_t>(calls) / 2]);
}
