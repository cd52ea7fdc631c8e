// What allocates nothing: the iterations of a solver, whose number does not change that of the allocations; and,
// through the public API, the frames of a stream after the first.

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "methods/feedback.h"
#include "models/networks.h"
#include "models/weights.h"
#include "support.h"

namespace {
std::atomic<long> allocations{0};
}

// Every form of new, in this program and in the library it loads, ends in one of these two.
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace snapcube {
namespace {

long allocations_of(const std::string& method, int iterations, const Image& y, const Camera& camera) {
  auto solver = Reconstructor::open(method, {{"iterations", std::to_string(iterations)}, {"tolerance", "1e-12"}});
  const long before = allocations;
  solver.reconstruct(y, camera);
  return allocations - before;
}

TEST(Allocations, DoNotGrowWithTheIterations) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 4});
  const Image y = camera.forward(testing::random_cube(4, 16, 16, 1));
  for (const char* method : {"gap-tv", "twist"}) {
    const long few = allocations_of(method, 2, y, camera);
    EXPECT_GT(few, 3) << "the counter does not count";
    EXPECT_EQ(allocations_of(method, 60, y, camera), few) << method;
  }
}

TEST(Allocations, AStreamOfFramesThroughANetworkHasNone) {
  const testing::TemporaryFolder folder;
  for (const char* variant : {"cst-s", "mst-s"}) {
    ModelConfig config = variant[0] == 'c' ? cst_variant(variant) : network_config(variant);
    config.bands = 6;
    config.wavelengths.clear();
    write_weights(engine::random_weights(config, 1), folder / "w.safetensors");
    Reconstructor network = Reconstructor::open_model(folder / "w.safetensors");
    const Camera camera(random_mask(64, 64, MaskKind::binary, 0.5, 1), {.bands = 6});
    const Image first = camera.forward(testing::random_cube(6, 64, 64, 1));
    const Image second = camera.forward(testing::random_cube(6, 64, 64, 2));
    Cube out;
    const long before_any = allocations;
    network.reconstruct(first, camera, out);
    EXPECT_GT(allocations, before_any) << "the counter does not count";
    const Cube once = out;
    std::vector<float> own(once.size());
    const CubeView view(own.data(), 6, 64, 64);
    int calls = 0;
    const ProgressCallback progress = [&](const Progress& p) { return ++calls, !p.residual; };

    const long before = allocations;
    network.reconstruct(second, camera, out, progress);
    network.reconstruct(first, camera, out);
    network.reconstruct(first, camera, view);
    EXPECT_EQ(allocations, before) << variant;
    EXPECT_GT(calls, 10);
    EXPECT_TRUE(std::ranges::equal(out.values(), once.values())) << "a frame depends on the one before";
    EXPECT_TRUE(std::ranges::equal(own, once.values()));
  }
}

/// Of passes, solver and lamps around a network that allocates nothing.
TEST(Allocations, AStreamOfFramesThroughFeedbackHasNoneAfterTheFirst) {
  const Camera camera(random_mask(16, 20, MaskKind::binary, 0.5, 1), {.bands = 5});
  const Image frames[] = {camera.forward(testing::random_cube(5, 16, 20, 1)),
                          camera.forward(testing::random_cube(5, 16, 20, 2))};
  const Feedback::Network network = [&](const Image& y, const Camera&, const std::function<void(double)>&, Cube& x) {
    camera.adjoint(y, x);
    for (float& v : x.values()) v *= 0.3f;
  };
  Cube x(5, 16, 20);
  Feedback feedback;
  const auto run = [&](const Image& y) { feedback.run(y, camera, {.passes = 0, .refine = true}, network, {}, x); };
  const long before_any = allocations;
  run(frames[0]);
  EXPECT_GT(allocations, before_any) << "the counter does not count";
  EXPECT_GT(feedback.passes().misfits.front(), 0.08) << "the lamp is not doubted, so that not all is tested";
  const long before = allocations;
  run(frames[1]);
  run(frames[0]);
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace snapcube
