// What a user relies on: any size, any number of threads, a stream of frames, tiles, screening.

#include "engine/cst_network.h"

#include <atomic>
#include <cstdlib>
#include <omp.h>

#include <snapcube/error.h>
#include <snapcube/mask.h>
#include <snapcube/scene.h>

#include "engine/mst_network.h"
#include "engine/tiled.h"
#include "golden_weights.h"

namespace {
std::atomic<long> allocations{0};
}

// Every form of new, in this program and in the library it loads, ends in one of these two. (Inlined, the compiler
// takes free for the wrong partner.)
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
  ++allocations;
  const auto a = static_cast<std::size_t>(alignment);
  if (void* p = std::aligned_alloc(a, (size + a - 1) / a * a)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace snapcube::engine {
namespace {

using testing::golden_weights;

ModelConfig small_config() {
  ModelConfig config = cst_variant("cst-m");
  config.bands = 6;
  config.wavelengths.clear();
  config.window = 8;
  config.bucket = 16;
  return config;
}

struct Shot {
  Camera camera;
  Image measurement;
  Shot(const ModelConfig& config, int height, int width, std::uint64_t seed = 1)
      : camera(testing::random_image(height, width, seed), {.bands = config.bands, .step = config.step}),
        measurement(camera.forward(testing::random_cube(config.bands, height, width, seed + 1))) {}
};

Cube run(CstNetwork& network, const Shot& shot, int threads) {
  const FrameSize size = usable_size(network.config(), shot.camera.height(), shot.camera.width());
  network.prepare(size.height, size.width, threads);
  Cube out(network.config().bands, shot.camera.height(), shot.camera.width());
  network.run(Frame(shot.measurement, shot.camera, network.config().scale), {0, 0, size.height, size.width, nullptr},
              out);
  return out;
}

/// Of the largest value over the root mean square difference.
double decibels(const Cube& found, const Cube& wanted) {
  double squares = 0;
  double peak = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double difference = static_cast<double>(found.values()[i]) - wanted.values()[i];
    squares += difference * difference;
    peak = std::max(peak, std::fabs(static_cast<double>(wanted.values()[i])));
  }
  return 10 * std::log10(peak * peak * static_cast<double>(wanted.size()) / squares);
}

bool same(const Cube& a, const Cube& b) { return std::equal(a.values().begin(), a.values().end(), b.values().begin()); }

TEST(CstNetwork, EveryNumberOfThreadsGivesTheSameBytes) {
  const ModelConfig config = small_config();
  const Shot shot(config, 64, 96);
  CstNetwork network(golden_weights(config));
  const Cube one = run(network, shot, 1);
  for (const int threads : {2, 3, 5}) EXPECT_TRUE(same(run(network, shot, threads), one)) << threads;
}

TEST(CstNetwork, AStreamOfFramesAllocatesNothingAfterTheFirst) {
  const ModelConfig config = small_config();
  const Shot first(config, 64, 64, 1);
  const Shot second(config, 64, 64, 5);
  CstNetwork network(golden_weights(config));
  network.prepare(64, 64, 2);
  Cube out(config.bands, 64, 64);
  const Frame a(first.measurement, first.camera, config.scale);
  const Frame b(second.measurement, second.camera, config.scale);
  const Tile whole{0, 0, 64, 64, nullptr};
  const long before_any = allocations;
  network.run(a, whole, out);
  EXPECT_GT(allocations, before_any) << "the counter does not count";
  const Cube once = out;
  const std::size_t planned = network.planned_bytes();
  const long before = allocations;
  network.prepare(64, 64, 2);
  network.run(b, whole, out);
  network.run(a, whole, out);
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(network.planned_bytes(), planned);
  EXPECT_TRUE(same(out, once)) << "a frame depends on the one before";
}

TEST(CstNetwork, AStreamOfFramesThroughMstAllocatesNothing) {
  ModelConfig config = network_config("mst-s");
  config.bands = 6;
  config.wavelengths.clear();
  const Shot first(config, 64, 64, 1);
  const Image other = testing::random_image(64, first.camera.detector_width(), 9);
  MstNetwork network(golden_weights(config));
  for (const auto guides : {MstNetwork::Guides::kept, MstNetwork::Guides::anew}) {
    network.prepare(first.camera, 2, guides);
    Cube out(config.bands, 64, 64);
    const Frame a(first.measurement, first.camera, config.scale);
    const Frame b(other, first.camera, config.scale);
    network.run(a, out);
    const Cube once = out;
    const std::size_t planned = network.planned_bytes();
    const long before = allocations;
    network.run(b, out);
    network.run(a, out);
    EXPECT_EQ(allocations, before);
    network.prepare(first.camera, 2, guides);
    EXPECT_EQ(network.planned_bytes(), planned);
    EXPECT_TRUE(same(out, once)) << "a frame depends on the one before";
  }
}

TEST(CstNetwork, AnySizeIsReflectedAndCropped) {
  // 33×45 at once, and 64×64 as a frame that was reflected by hand.
  const ModelConfig config = small_config();
  const Shot shot(config, 33, 45);
  const FrameSize size = usable_size(config, 33, 45);
  EXPECT_EQ(size.height, 64);
  EXPECT_EQ(size.width, 64);
  const auto back = [](int i, int n) { return i < n ? i : 2 * (n - 1) - i; };
  Image mask(64, 64);
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) mask(y, x) = shot.camera.mask()(back(y, 33), back(x, 45));
  }
  // With step 0 every band sees the same pixels, so that the frame can be reflected before it is shifted back.
  const Camera narrow(shot.camera.mask(), {.bands = config.bands, .step = 0});
  const Camera wide(mask, {.bands = config.bands, .step = 0});
  const Image y = testing::random_image(33, 45, 9);
  Image reflected_y(64, 64);
  for (int r = 0; r < 64; ++r) {
    for (int c = 0; c < 64; ++c) reflected_y(r, c) = y(back(r, 33), back(c, 45));
  }
  CstNetwork network(golden_weights(config));
  network.prepare(64, 64, 2);
  Cube small(config.bands, 33, 45);
  network.run(Frame(y, narrow, config.scale), {0, 0, 64, 64, nullptr}, small);
  Cube large(config.bands, 64, 64);
  network.run(Frame(reflected_y, wide, config.scale), {0, 0, 64, 64, nullptr}, large);
  EXPECT_TRUE(same(crop(large, {0, 0, 33, 45}), small));
}

TEST(CstNetwork, ReflectionGoesBackAndForth) {
  std::vector<int> found;
  for (int i = 0; i < 10; ++i) found.push_back(reflected(i, 4));
  EXPECT_EQ(found, (std::vector<int>{0, 1, 2, 3, 2, 1, 0, 1, 2, 3}));
  EXPECT_EQ(reflected(7, 1), 0);
}

TEST(CstNetwork, FrameIsTheCamerasShiftBackScaled) {
  for (const Axis axis : {Axis::columns, Axis::rows}) {
    const Camera camera(testing::random_image(9, 13, 1), {.bands = 3, .axis = axis, .offsets = {0, 1.25, 4}});
    const Image y = testing::random_image(camera.detector_height(), camera.detector_width(), 2);
    const Cube wanted = camera.shift_back(y);
    for (const MeasurementScale scale : {MeasurementScale::sum, MeasurementScale::max}) {
      const float most = *std::max_element(y.values().begin(), y.values().end());
      const float factor = scale == MeasurementScale::sum ? 2.0f / 3 : 0.8f / most;
      const Frame frame(y, camera, scale);
      std::vector<float> row(3 * 16);
      for (int r = 0; r < 9; ++r) {
        frame.read_row(r, 2, 11, row.data(), 16);
        for (int b = 0; b < 3; ++b) {
          for (int c = 0; c < 11; ++c) {
            ASSERT_NEAR(row[static_cast<std::size_t>(b * 16 + c)], wanted(b, r, 2 + c) * factor, 1e-6);
          }
        }
      }
    }
  }
}

TEST(CstNetwork, WindowsOfHighestScoreAreKept) {
  ModelConfig config = cst_variant("cst-s");
  config.window = 2;
  Plane mask(4, 8);  // 2 × 4 windows
  const float scores[] = {1, 5, 5, 2, 7, 0, 5, 3};
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 8; ++x) mask.row(y)[x] = scores[y / 2 * 4 + x / 2];
  }
  WindowScores room;
  std::vector<int> kept;
  kept_windows(config, mask, 4, 8, 0, room, kept);
  EXPECT_EQ(kept, (std::vector<int>{1, 2, 4, 6}));
  config.sparsity = 0.75;
  kept_windows(config, mask, 4, 8, 0, room, kept);
  EXPECT_EQ(kept, (std::vector<int>{1, 4})) << "equal scores: the lower index";
  config.screening = Screening::uniform;
  kept_windows(config, mask, 4, 8, 0, room, kept);
  EXPECT_EQ(kept, (std::vector<int>{0, 2, 5, 7}));
  config.screening = Screening::none;
  kept_windows(config, mask, 4, 8, 0, room, kept);
  EXPECT_EQ(kept.size(), 8u);
  config.screening = Screening::random;
  config.sparsity = 0.5;
  kept_windows(config, mask, 4, 8, 0, room, kept);
  EXPECT_EQ(kept.size(), 4u);
}

TEST(CstNetwork, ShiftedWindowsAreScoredWhereTheyLie) {
  ModelConfig config = cst_variant("cst-s");
  config.window = 2;
  config.sparsity = 0.75;
  Plane mask(2, 8);
  for (int y = 0; y < 2; ++y) mask.row(y)[7] = mask.row(y)[0] = 1;  // only the window around the edge has both
  mask.row(0)[4] = 1;
  WindowScores room;
  std::vector<int> kept;
  kept_windows(config, mask, 2, 8, 1, room, kept);
  EXPECT_EQ(kept, (std::vector<int>{3}));
}

TEST(CstNetwork, SparsityCanBeChanged) {
  const ModelConfig config = small_config();
  const Shot shot(config, 64, 64);
  CstNetwork network(golden_weights(config));
  const Cube half = run(network, shot, 2);
  EXPECT_EQ(network.windows().front().size(), 32u);
  network.set_sparsity(0.25);
  EXPECT_FALSE(same(run(network, shot, 2), half));
  EXPECT_EQ(network.windows().front().size(), 48u);
  testing::expect_contains(testing::error_of<InputError>([&] { network.set_sparsity(1); }), "sparsity");
  CstNetwork all(golden_weights(cst_variant("cst-l-star")));
  testing::expect_contains(testing::error_of<InputError>([&] { all.set_sparsity(0.5); }), "cst-l-star");
}

TEST(CstNetwork, WithoutAttentionOrEstimator) {
  ModelConfig config = small_config();
  config.attention = Attention::none;
  config.screening = Screening::none;
  config.estimators = 0;
  config.mask_input = false;
  CstNetwork network(golden_weights(config));
  const Cube out = run(network, Shot(config, 40, 64), 2);
  EXPECT_TRUE(std::ranges::all_of(out.values(), [](float v) { return std::isfinite(v); }));
  EXPECT_TRUE(network.error_map().values.empty());
}

TEST(EngineTiles, SharesAddUpToOne) {
  for (const int length : {320, 512, 1024, 1088}) {
    for (const int size : {256, 320, 448}) {
      const TileAxis axis(length, size, 64);
      EXPECT_EQ(axis.starts.front(), 0);
      EXPECT_EQ(axis.starts.back() + axis.size, length);
      int covered = 0;
      for (std::size_t i = 0; i < axis.starts.size(); ++i) {
        EXPECT_EQ(axis.starts[i] % 64, 0);
        const auto [first, last] = axis.core(i);
        EXPECT_EQ(first, covered);
        EXPECT_GE(first, axis.starts[i]);
        EXPECT_LE(last, axis.starts[i] + axis.size);
        covered = last;
      }
      EXPECT_EQ(covered, length);
      for (int at = 0; at < length; ++at) {
        double sum = 0;
        for (std::size_t i = 0; i < axis.starts.size(); ++i) sum += axis.share(i, at);
        ASSERT_NEAR(sum, 1, 1e-9) << at;
      }
    }
  }
}

TEST(EngineTiles, AgreeWithTheWholeAwayFromTheEdge) {
  for (const char* variant : {"cst-s", "cst-l-star"}) {
    ModelConfig config = cst_variant(variant);
    if (config.variant == "cst-l-star") config.blocks = {1, 1, 2};  // an estimator more, no screening; time is short
    CstNetwork network(golden_weights(config));
    const Cube scene = make_scene("still-life", {.height = 320, .width = 448});
    const Camera camera(random_mask(320, 448, MaskKind::binary, 0.5, 1));
    const Image y = camera.forward(scene);
    const Frame frame(y, camera, config.scale);
    network.prepare(320, 448, 2);
    Cube whole(28, 320, 448);
    network.run(frame, {0, 0, 320, 448, nullptr}, whole);
    Cube tiled(28, 320, 448);
    double last = 0;
    const TiledResult result = run_tiled(
        network, frame, {320, 448}, {256, 320}, 2,
        [&](double done) {
          EXPECT_GE(done, last);
          last = done;
        },
        tiled);
    EXPECT_NEAR(last, 1, 1e-9);
    EXPECT_EQ(result.windows.size(), network.block_places().size());
    const Region inner{32, 32, 320 - 64, 448 - 64};
    EXPECT_GE(decibels(crop(tiled, inner), crop(whole, inner)), 45) << variant;
  }
}

TEST(EngineTiles, AStoppedRunLeavesNothingBehind) {
  const ModelConfig config = small_config();
  const Shot shot(config, 320, 320);
  CstNetwork network(golden_weights(config));
  const Cube before = run(network, shot, 2);
  const Frame frame(shot.measurement, shot.camera, config.scale);
  for (const double stop : {0.05, 0.5}) {
    Cube out(config.bands, 320, 320);
    const auto stopping = [&](double done) {
      if (done > stop) throw Interrupted();
    };
    EXPECT_THROW(run_tiled(network, frame, {320, 320}, {256, 256}, 2, stopping, out), Interrupted);
    EXPECT_TRUE(same(run(network, shot, 2), before));
  }
}

TEST(CstNetwork, WeightsGoneWrongGiveNoCrash) {
  const ModelConfig config = small_config();
  Weights weights = golden_weights(config);
  for (float& v : weights.tensors.at("fe.out_conv2.weight").values) v = 3e38f;
  CstNetwork network(weights);
  run(network, Shot(config, 64, 64), 2);
}

TEST(EngineTiles, TooLittleMemoryIsRefused) {
  CstNetwork network(golden_weights(cst_variant("cst-s")));
  testing::expect_contains(testing::error_of<InputError>([&] {
                             tile_size(network, {4096, 4096}, 10'000'000);
                           }),
                           "max_memory");
  const FrameSize tile = tile_size(network, {2752, 3392}, 400'000'000);
  EXPECT_EQ(tile.height % 64, 0);
  EXPECT_GE(tile.height, 512);
  EXPECT_LE(network.bytes_for(tile.height, tile.width), 400'000'000u);
}

}  // namespace
}  // namespace snapcube::engine
