// overhead CALLS: processor seconds of the median of CALLS reconstructions of 256×256 by one iteration of GAP-TV,
// called from C++.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#include <snapcube/snapcube.h>

/// Processor time of this thread: other programs on the machine do not count.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

int main(int, char** argv) {
  const int calls = std::atoi(argv[1]);
  const snapcube::Camera camera{snapcube::random_mask(256, 256, snapcube::MaskKind::binary, 0.5, 1)};
  const snapcube::Image shot = camera.forward(snapcube::make_scene("chart"));
  auto method = snapcube::Reconstructor::open("gap-tv", {{"iterations", "1"}});
  std::vector<double> seconds;
  for (int i = 0; i < calls + 5; ++i) {
    const double start = now();
    const snapcube::Cube cube = method.reconstruct(shot, camera);
    if (i >= 5) seconds.push_back(now() - start);
  }
  std::ranges::nth_element(seconds, seconds.begin() + calls / 2);
  std::printf("%.9f\n", seconds[static_cast<std::size_t>(calls) / 2]);
}
