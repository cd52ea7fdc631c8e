#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "samples/samples.h"
#include "samples/scenes.h"
#include "support.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::LogText;
using testing::random_cube;
using testing::TemporaryFolder;

class SceneStoreTest : public ::testing::Test {
 protected:
  SceneStoreTest() {
    set_log_sink({});
    fs::create_directory(data_);
    fs::create_directory(run_);
    config_.model.bands = 4;
    config_.model.wavelengths = {};
    config_.data = {data_};
    config_.crop = 8;
  }

  /// Multiples of 1/65535, which 16 bits hold exactly.
  Cube scene(const std::string& name, int height, int width, std::uint64_t seed, std::vector<double> wavelengths = {}) {
    Cube cube = random_cube(wavelengths.empty() ? 4 : static_cast<int>(wavelengths.size()), height, width, seed);
    for (float& v : cube.values()) v = std::round(v * 65535) / 65535;
    cube.wavelengths = std::move(wavelengths);
    write(cube, data_ + "/" + name);
    return cube;
  }
  std::unique_ptr<SceneStore> open() const { return open_scenes(config_, run_); }
  std::string error() const {
    return error_of<InputError>([&] { open(); });
  }
  std::string cache() const { return run_ + "/scenes.cache"; }

  TemporaryFolder folder_;
  std::string data_ = folder_ / "data";
  std::string run_ = folder_ / "run";
  TrainConfig config_;
};

void expect_holds(const SceneStore& store, std::size_t i, const std::string& name, const Cube& cube) {
  ASSERT_LT(i, store.count());
  EXPECT_EQ(store.name(i), name);
  EXPECT_EQ(store.bands(), cube.bands());
  ASSERT_EQ(store.height(i), cube.height());
  ASSERT_EQ(store.width(i), cube.width());
  for (std::size_t k = 0; k < cube.size(); ++k) {
    ASSERT_EQ(store.values(i)[k], std::lround(cube.data()[k] * 65535.0)) << name << " " << k;
  }
}

TEST_F(SceneStoreTest, ReadsEveryFormatInTheOrderOfNames) {
  const Cube d = scene("d.mat", 9, 12, 1);
  const Cube a = scene("a.h5", 12, 9, 2);
  const Cube c = scene("c.npy", 8, 8, 3);
  const Cube b = scene("b_ms", 10, 13, 4, {400, 410, 420, 430});  // a folder of PNGs, as CAVE's
  const Cube e = scene("e.hdr", 11, 11, 5);
  for (const int threads : {0, 1, 3}) {
    config_.threads = threads;
    const auto store = open();
    ASSERT_EQ(store->count(), 5u);
    expect_holds(*store, 0, "a", a);
    expect_holds(*store, 1, "b_ms", b);
    expect_holds(*store, 2, "c", c);
    expect_holds(*store, 3, "d", d);
    expect_holds(*store, 4, "e", e);
  }
  EXPECT_TRUE(fs::is_empty(run_));  // nothing is cached below the limit
}

TEST_F(SceneStoreTest, ReadsSingleScenesAndPackedFolders) {
  fs::create_directories(data_ + "/packed_ms");
  const Cube packed = scene("packed_ms/packed_ms", 8, 9, 1, {400, 410, 420, 430});
  const Cube other = scene("other.mat", 9, 8, 2);
  const auto all = open();
  ASSERT_EQ(all->count(), 2u);
  expect_holds(*all, 0, "other", other);
  expect_holds(*all, 1, "packed_ms", packed);
  config_.data = {data_ + "/packed_ms/packed_ms", data_ + "/other.mat:cube"};
  const auto single = open();
  ASSERT_EQ(single->count(), 2u);
  expect_holds(*single, 0, "packed_ms", packed);
  expect_holds(*single, 1, "other", other);
}

TEST_F(SceneStoreTest, LeavesOutWhatIsExcluded) {
  scene("a.mat", 8, 8, 1);
  const Cube b = scene("b.mat", 8, 8, 2);
  scene("c.npy", 8, 8, 3);
  config_.exclude = {"c", "a"};
  const auto store = open();
  ASSERT_EQ(store->count(), 1u);
  expect_holds(*store, 0, "b", b);
  config_.exclude = {"b", "beads"};
  EXPECT_EQ(error(), "training configuration: exclude: expected names of scenes in the data, found 'beads'");
  config_.exclude = {"a", "b", "c"};
  EXPECT_EQ(error(), "training configuration: exclude: expected names of some of the scenes, found the names of all");
}

TEST_F(SceneStoreTest, ResamplesLinearlyToTheModelsWavelengths) {
  // Linear between 400, 450 and 500 nm, so the value at any wavelength is known.
  Cube cube(3, 8, 9);
  cube.wavelengths = {400, 450, 500};
  for (std::size_t i = 0; i < cube.band_size(); ++i) {
    const float base = static_cast<float>(i) / 100;
    cube.band(0)[i] = 0.1f * base;
    cube.band(1)[i] = 0.9f * base;
    cube.band(2)[i] = 0.4f * base;
  }
  write(cube, data_ + "/a.h5");
  config_.model.wavelengths = {400, 425, 460, 500};
  const auto store = open();
  ASSERT_EQ(store->bands(), 4);
  const double factors[] = {0.1, 0.5, 0.8, 0.4};
  for (int b = 0; b < 4; ++b) {
    for (std::size_t i = 0; i < cube.band_size(); ++i) {
      const double expected = factors[b] * static_cast<double>(i) / 100 * 65535;
      EXPECT_NEAR(store->values(0)[b * cube.band_size() + i], expected, 0.51);
    }
  }
  config_.model.wavelengths = {390, 425, 460, 500};
  EXPECT_EQ(error(), data_ + "/a.h5: asked for 390–500 nm, the cube covers 400–500 nm");
  config_.model.wavelengths.clear();
  EXPECT_EQ(error(),
            data_ + "/a.h5: bands: expected 4, as the model has (it has no wavelengths to resample to), found 3");
}

TEST_F(SceneStoreTest, TakesScenesWithoutWavelengthsByTheirBandCount) {
  const Cube a = scene("a.npy", 8, 8, 1);
  config_.model.wavelengths = {400, 425, 460, 500};
  const LogText log;
  expect_holds(*open(), 0, "a", a);
  EXPECT_TRUE(log.has("a.npy: has no wavelengths; assuming that its 4 bands are the model's")) << log.text();
  config_.model.bands = 3;
  config_.model.wavelengths.pop_back();
  EXPECT_EQ(error(), data_ + "/a.npy: bands: expected 3, as the model has, or wavelengths to resample from, found 4");
}

TEST_F(SceneStoreTest, ClipsAndSaysSo) {
  Cube cube(4, 10, 10, 0.5f);
  cube(0, 0, 0) = 1.5f;
  cube(0, 0, 1) = -0.25f;
  cube(3, 9, 9) = 1.0f;
  write(cube, data_ + "/a.npy");
  const LogText log;
  const auto store = open();
  EXPECT_EQ(store->values(0)[0], 65535);
  EXPECT_EQ(store->values(0)[1], 0);
  EXPECT_EQ(store->values(0)[2], 32768);
  EXPECT_EQ(store->values(0)[399], 65535);
  EXPECT_TRUE(log.has("warning: " + data_ + "/a.npy: 0.25 % of the values are above 1 and clipped (largest: 1.5)"));
  EXPECT_TRUE(log.has("warning: " + data_ + "/a.npy: 0.25 % of the values are negative and set to 0")) << log.text();
}

TEST_F(SceneStoreTest, SixteenBitsStoredAsFloatsAreRecognised) {
  Cube cube(4, 8, 8);
  for (std::size_t i = 0; i < cube.size(); ++i) cube.data()[i] = static_cast<float>(i * 250);
  write(cube, data_ + "/a.npy");
  const LogText log;
  const auto store = open();
  for (std::size_t i = 0; i < cube.size(); ++i) EXPECT_EQ(store->values(0)[i], i * 250);
  EXPECT_TRUE(log.has("a.npy: whole numbers up to 63750, divided by 65535"));
  // What is neither is refused rather than clipped to white.
  for (float& v : cube.values()) v += 0.5f;
  write(cube, data_ + "/a.npy");
  EXPECT_EQ(error(),
            data_ + "/a.npy: values: expected numbers in [0,1], found 99.6 % of them above 1, the largest 63750.5");
}

TEST_F(SceneStoreTest, AboveTheLimitScenesAreMappedFromACache) {
  const Cube a = scene("a.npy", 9, 13, 1);
  const Cube b = scene("b.npy", 8, 8, 2);
  const Cube c = scene("c.npy", 31, 17, 3);
  const std::uint64_t bytes = 2 * (a.size() + b.size() + c.size());
  for (const std::uint64_t limit : {std::uint64_t{0}, bytes - 1}) {
    fs::remove(cache());
    config_.memory_limit = limit;
    const LogText log;
    const auto store = open();
    EXPECT_TRUE(fs::exists(cache()));
    EXPECT_TRUE(log.has("kept in " + cache())) << log.text();
    ASSERT_EQ(store->count(), 3u);
    expect_holds(*store, 0, "a", a);
    expect_holds(*store, 1, "b", b);
    expect_holds(*store, 2, "c", c);
    EXPECT_EQ(std::distance(fs::directory_iterator(run_), fs::directory_iterator()), 1);  // no temporary file is left
  }
  fs::remove(cache());
  config_.memory_limit = bytes;
  open();
  EXPECT_FALSE(fs::exists(cache()));
  config_.cache = folder_ / "elsewhere";
  config_.memory_limit = 0;
  open();
  EXPECT_FALSE(fs::exists(cache()));
  EXPECT_TRUE(fs::exists(config_.cache));
}

ino_t inode(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_ino;
}

TEST_F(SceneStoreTest, TheCacheIsReusedUntilAnythingChanges) {
  Cube a = scene("a.npy", 9, 13, 1);
  const Cube b = scene("b.npy", 8, 8, 2);
  config_.memory_limit = 0;
  // Holding the old cache open keeps its inode from being given to the new one.
  auto before = open();
  const auto reused = [&] {
    const ino_t old = inode(cache());
    auto store = open();
    const bool same = inode(cache()) == old;
    before = std::move(store);
    return same;
  };
  EXPECT_TRUE(reused());
  expect_holds(*before, 0, "a", a);
  fs::rename(data_, folder_ / "moved");
  config_.data = {folder_ / "moved"};
  EXPECT_TRUE(reused());
  fs::rename(folder_ / "moved", data_);
  config_.data = {data_};

  a = scene("a.npy", 9, 13, 5);
  EXPECT_FALSE(reused());
  expect_holds(*before, 0, "a", a);
  config_.exclude = {"a"};
  EXPECT_FALSE(reused());
  expect_holds(*before, 0, "b", b);
  config_.model.wavelengths = {400, 425, 460, 500};
  EXPECT_FALSE(reused());
  EXPECT_TRUE(reused());
  config_.memory_limit = std::uint64_t{1} << 30;
  EXPECT_TRUE(reused());
}

TEST_F(SceneStoreTest, ADamagedCacheIsMadeAnew) {
  const Cube a = scene("a.npy", 9, 13, 1);
  config_.memory_limit = 0;
  const auto original = open();
  const auto size = fs::file_size(cache());
  for (const auto length : {std::uintmax_t{20}, std::uintmax_t{64}, size - 1, size + 1}) {
    fs::resize_file(cache(), length);
    const LogText log;
    expect_holds(*open(), 0, "a", a);
    EXPECT_EQ(fs::file_size(cache()), size);
    EXPECT_TRUE(log.has("warning: " + cache() + ": cannot be used (")) << log.text();
  }
}

TEST_F(SceneStoreTest, AFileThatIsNoCacheIsLeftAlone) {
  scene("a.npy", 9, 13, 1);
  config_.memory_limit = 0;
  for (const std::string content :
       {"", "precious", "precious, and longer than the header of a cache would have to be"}) {
    std::ofstream(cache()) << content;
    EXPECT_EQ(error(), cache() + ": cache: expected a cache of scenes, or no file of that name, found something else");
    std::ifstream file(cache());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), content);
  }
  config_.cache = data_;
  EXPECT_EQ(error(), data_ + ": cache: expected a cache of scenes, or no file of that name, found something else");
  config_.cache = folder_ / "no/such/folder/cache";
  EXPECT_NE(error_of<Error>([&] { open(); }).find("no/such/folder/cache: cannot "), std::string::npos);
}

TEST_F(SceneStoreTest, ErrorsNameTheFile) {
  config_.data = {};
  EXPECT_EQ(error(), "training configuration: data: expected a folder of scenes, or several, found none");
  config_.data = {folder_ / "none"};
  EXPECT_EQ(error().find(folder_ / "none"), 0u);
  config_.data = {data_};
  EXPECT_EQ(error().find(data_ + ": expected files of a known format"), 0u);
  for (const char* name : {"a.npy", "b.npy", "d.npy"}) scene(name, 9, 9, 1);
  std::ofstream(data_ + "/c.mat") << "this is no MATLAB file";
  EXPECT_EQ(error().find(data_ + "/c.mat: "), 0u) << error();
  config_.exclude = {"c"};
  config_.crop = 10;
  EXPECT_EQ(error(),
            "training data: size: expected scenes of at least 10×10, the crop, found a (9×9), b (9×9), d (9×9)");
}

}  // namespace
}  // namespace snapcube
