// Memory that runs out: each allocation of the project fails once, in loading and in a reconstruction. An error each
// time, nothing lost, no crash. (C libraries allocate by malloc, which goes on working here; docs/security.md tells
// what they do without memory.)

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <omp.h>
#include <span>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/any_weights.h"
#include "models/networks.h"
#include "models/pth.h"
#include "support.h"

namespace {
std::atomic<long> made{0};
std::atomic<long> alive{0};
std::atomic<long> until_failure{-1};  // below 0: never

void count() {
  ++made;
  if (until_failure >= 0 && until_failure-- == 0) throw std::bad_alloc();
  ++alive;
}

void release(void* p) noexcept {
  if (p) --alive;
  std::free(p);
}
}  // namespace

// Every form of new, in this program and in the library it loads, ends in one of these two.
void* operator new(std::size_t size) {
  count();
  if (void* p = std::malloc(size > 0 ? size : 1)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  count();
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { release(p); }
void operator delete(void* p, std::size_t) noexcept { release(p); }
void operator delete(void* p, std::align_val_t) noexcept { release(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { release(p); }

namespace snapcube {
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

std::ptrdiff_t open_files() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator());
}

enum class Afterwards { as_before, keeps_something };

/// Runs `work` with the i-th allocation failing, for every i.
void fail_each(const std::string& what, const std::function<void()>& work,
               Afterwards afterwards = Afterwards::as_before) {
  SCOPED_TRACE(what);
  work();  // what is made once and kept is there now
  const long start = made;
  work();
  const long total = made - start;
  EXPECT_GT(total, 0) << "nothing is counted";  // of a stream through a network: its cube
  for (long i = 0; i < total; ++i) {
    const std::ptrdiff_t files = open_files();
    const long before = alive;
    bool refused = false;
    until_failure = i;
    try {
      work();
    } catch (const std::bad_alloc&) {
      refused = true;
    } catch (const Error&) {
      refused = true;
    }
    until_failure = -1;
    EXPECT_TRUE(refused) << "allocation " << i << " of " << total;
    if (afterwards == Afterwards::as_before) {
      EXPECT_EQ(alive, before) << "allocation " << i << " of " << total;
    }
    EXPECT_EQ(open_files(), files) << "allocation " << i << " of " << total;
  }
}

class AllocationFailure : public ::testing::Test {
 protected:
  void SetUp() override {
    before_ = set_log_sink({});
    omp_set_num_threads(1);
  }
  void TearDown() override {
    omp_set_num_threads(omp_get_num_procs());
    set_log_sink(std::move(before_));
  }

 private:
  LogSink before_;
};

TEST_F(AllocationFailure, LoadingACube) {
  TemporaryFolder folder;
  Cube cube = random_cube(3, 5, 7, 1);
  cube.wavelengths = {450, 550, 650};
  write(cube, folder / "v73.mat", {.mat_v73 = true});
  for (const std::string name : {"x.mat", "x.npy", "x.npz", "x.h5", "x.hdr", "x.tif", "pictures/"}) {
    write(cube, folder / name);
    fail_each(name, [&] { read_cube(folder / name); });
  }
  fail_each("v73.mat", [&] { read_cube(folder / "v73.mat"); });
}

TEST_F(AllocationFailure, LoadingAnImage) {
  TemporaryFolder folder;
  write_measurement(random_image(5, 7, 1), folder / "x.png");
  fail_each("x.png", [&] { read_measurement(folder / "x.png"); });
}

TEST_F(AllocationFailure, LoadingWeights) {
  for (const char* name : {"small_zip.pth", "small_legacy.pth"}) {
    const std::string content = file_content(data_file(std::string("models/") + name));
    // The third tensor holds integers, so that no run gets to the end.
    fail_each(name, [&] { open_pth(std::as_bytes(std::span(content)), "w", 1 << 20); });
  }
  // Our own safetensors have a configuration in JSON, and nlohmann's trees allocate while they are taken down.
  TemporaryFolder folder;
  const std::string foreign = folder / "w.safetensors";
  const Weights weights = read_any_weights(data_file("models/zip_plain.pth")).weights;
  Safetensors content;
  for (const auto& [name, tensor] : weights.tensors) {
    content.tensors.push_back({name, TensorType::f32, tensor.shape, std::as_bytes(std::span(tensor.values))});
  }
  const std::vector<std::byte> bytes = safetensors_file(content);
  write_file(foreign, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  for (const std::string& file : {data_file("models/zip_plain.pth"), data_file("models/legacy_plain.pth"), foreign}) {
    fail_each(file, [&] { read_any_weights(file); });
  }
}

TEST_F(AllocationFailure, AReconstruction) {
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 4});
  const Image y = camera.forward(random_cube(4, 16, 16, 1));
  for (const int threads : {1, 2}) {
    omp_set_num_threads(threads);
    for (const char* method : {"gap-tv", "twist"}) {
      fail_each(method, [&] { Reconstructor::open(method, {{"iterations", "3"}}).reconstruct(y, camera); });
    }
  }
}

TEST_F(AllocationFailure, ANetwork) {
  TemporaryFolder folder;
  const Camera camera(random_mask(16, 16, MaskKind::binary, 0.5, 1), {.bands = 3});
  const Image y = camera.forward(random_cube(3, 16, 16, 1));
  for (const char* name : {"cst-s", "mst-s"}) {
    SCOPED_TRACE(name);
    ModelConfig config = network_config(name);
    config.bands = 3;
    config.wavelengths.clear();
    write_weights(engine::random_weights(config, 1), folder / "w.safetensors");
    // A network keeps its working memory and its last map, and threads theirs: what the first round leaves is no loss.
    long left = 0;
    for (int round = 0; round < 2; ++round) {
      const long before = alive;
      {
        Reconstructor network = Reconstructor::open_model(folder / "w.safetensors");
        fail_each(
            name, [&] { network.reconstruct(y, camera); }, Afterwards::keeps_something);
      }
      left = alive - before;
    }
    EXPECT_EQ(left, 0);
  }
}

}  // namespace
}  // namespace snapcube
