// The iterations of a solver allocate nothing: the number of allocations does not grow with the iterations.

#include <atomic>
#include <cstdlib>

#include <snapcube/snapcube.h>

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

}  // namespace
}  // namespace snapcube
