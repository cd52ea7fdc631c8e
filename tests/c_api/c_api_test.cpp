#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <thread>

#include <snapcube/snapcube.h>
#include <snapcube/snapcube_c.h>

#include "engine/random_weights.h"
#include "models/networks.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::random_cube;
using testing::random_image;

/// Values under random strides: any order of the dimensions, gaps between them, either direction. The memory ends with
/// the outermost value, so that the address sanitizer sees a step beyond.
class Scattered {
 public:
  Scattered(std::vector<int> lengths, Random& random) : lengths_(std::move(lengths)), strides_(lengths_.size()) {
    std::vector<std::size_t> order(lengths_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random.below(static_cast<std::uint32_t>(i) + 1)]);
    std::ptrdiff_t reach = 1;
    for (const std::size_t d : order) {
      strides_[d] = reach + static_cast<std::ptrdiff_t>(random.below(3));
      reach += strides_[d] * (lengths_[d] - 1);
    }
    std::ptrdiff_t first = 0;
    for (std::size_t d = 0; d < order.size(); ++d) {
      if (random.below(2) == 0) continue;
      first += strides_[d] * (lengths_[d] - 1);
      strides_[d] = -strides_[d];
    }
    memory_ = std::make_unique<float[]>(static_cast<std::size_t>(reach));
    std::fill_n(memory_.get(), reach, std::numeric_limits<float>::quiet_NaN());
    data_ = memory_.get() + first;
  }

  snapcube_image image() const { return {data_, lengths_[0], lengths_[1], strides_[0], strides_[1]}; }
  snapcube_cube cube() const {
    return {data_, lengths_[0], lengths_[1], lengths_[2], strides_[0], strides_[1], strides_[2]};
  }
  float& at(int y, int x) { return data_[y * strides_[0] + x * strides_[1]]; }
  float& at(int b, int y, int x) { return data_[b * strides_[0] + y * strides_[1] + x * strides_[2]]; }

 private:
  std::vector<int> lengths_;
  std::vector<std::ptrdiff_t> strides_;
  std::unique_ptr<float[]> memory_;
  float* data_;
};

snapcube_image view(Image& image) { return {image.data(), image.height(), image.width(), 0, 0}; }
snapcube_cube view(Cube& cube) { return {cube.data(), cube.bands(), cube.height(), cube.width(), 0, 0, 0}; }

class CApi : public ::testing::Test {
 protected:
  void SetUp() override {
    snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
    options.bands = 4;
    const snapcube_image aperture = view(mask_);
    ASSERT_EQ(snapcube_camera_create(&aperture, &options, &camera_), SNAPCUBE_OK) << snapcube_last_error();
    ASSERT_EQ(snapcube_reconstructor_open("gap-tv", settings_, &method_), SNAPCUBE_OK) << snapcube_last_error();
  }
  void TearDown() override {
    snapcube_camera_free(camera_);
    snapcube_reconstructor_free(method_);
  }

  int simulate(Cube& scene, Image& measurement) const {
    const snapcube_cube in = view(scene);
    snapcube_image out = view(measurement);
    return snapcube_simulate(camera_, &in, nullptr, 1, &out);
  }
  int reconstruct(Image& measurement, Cube& cube, snapcube_progress progress = nullptr, void* user = nullptr) const {
    const snapcube_image in = view(measurement);
    snapcube_cube out = view(cube);
    return snapcube_reconstruct(method_, camera_, &in, &out, progress, user);
  }

  const char* settings_[2] = {"iterations=3", nullptr};
  Image mask_ = random_mask(20, 24, MaskKind::binary, 0.5, 1);
  Camera reference_{mask_, {.bands = 4, .step = 2}};
  Cube scene_ = random_cube(4, 20, 24, 2);
  snapcube_camera* camera_ = nullptr;
  snapcube_reconstructor* method_ = nullptr;
};

TEST_F(CApi, SaysTheSizesOfACamera) {
  snapcube_sizes sizes;
  ASSERT_EQ(snapcube_camera_sizes(camera_, &sizes), SNAPCUBE_OK);
  EXPECT_EQ(sizes.bands, 4);
  EXPECT_EQ(sizes.height, 20);
  EXPECT_EQ(sizes.width, 24);
  EXPECT_EQ(sizes.detector_height, 20);
  EXPECT_EQ(sizes.detector_width, 30);
  double offsets[4];
  double wavelengths[4];
  ASSERT_EQ(snapcube_camera_bands(camera_, 4, offsets, wavelengths), SNAPCUBE_OK);
  EXPECT_EQ(offsets[3], 6);
  EXPECT_TRUE(std::isnan(wavelengths[0]));
  EXPECT_EQ(snapcube_camera_bands(camera_, 5, offsets, nullptr), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, ComputesWhatTheLibraryComputes) {
  Image measurement(20, 30);
  ASSERT_EQ(simulate(scene_, measurement), SNAPCUBE_OK) << snapcube_last_error();
  const Image expected = reference_.forward(scene_);
  EXPECT_TRUE(std::ranges::equal(measurement.values(), expected.values()));

  Cube cube(4, 20, 24);
  ASSERT_EQ(reconstruct(measurement, cube), SNAPCUBE_OK) << snapcube_last_error();
  const Cube wanted = Reconstructor::open("gap-tv", {{"iterations", "3"}}).reconstruct(expected, reference_);
  EXPECT_TRUE(std::ranges::equal(cube.values(), wanted.values()));

  snapcube_scores scores;
  const snapcube_cube in = view(cube);
  const snapcube_cube truth = view(scene_);
  ASSERT_EQ(snapcube_score(&in, &truth, "float", &scores), SNAPCUBE_OK);
  EXPECT_EQ(scores.psnr, psnr(cube, scene_, Protocol::float32));
}

TEST_F(CApi, TellsTheErrorThatANetworkExpects) {
  Image error(20, 24);
  snapcube_image out = view(error);
  EXPECT_EQ(snapcube_expected_error(method_, &out), SNAPCUBE_BAD_INPUT) << "GAP-TV expects none";

  const testing::TemporaryFolder folder;
  ModelConfig config = network_config("prism-s");
  config.bands = 3;
  config.wavelengths.clear();
  write_weights(engine::random_weights(config, 1), folder / "prism.safetensors");
  snapcube_reconstructor_free(method_);
  ASSERT_EQ(snapcube_reconstructor_open((folder / "prism.safetensors").c_str(), nullptr, &method_), SNAPCUBE_OK);
  EXPECT_EQ(snapcube_expected_error(method_, &out), SNAPCUBE_BAD_INPUT) << "before the first cube";

  Image measurement(20, 30);
  ASSERT_EQ(simulate(scene_, measurement), SNAPCUBE_OK) << snapcube_last_error();
  Cube cube(4, 20, 24);
  ASSERT_EQ(reconstruct(measurement, cube), SNAPCUBE_OK) << snapcube_last_error();
  auto wanted = Reconstructor::open(folder / "prism.safetensors");
  wanted.reconstruct(measurement, reference_);
  ASSERT_EQ(snapcube_expected_error(method_, &out), SNAPCUBE_OK) << snapcube_last_error();
  EXPECT_TRUE(std::ranges::equal(error.values(), wanted.expected_error()->values()));

  Random random(3);
  Scattered scattered({20, 24}, random);
  out = scattered.image();
  ASSERT_EQ(snapcube_expected_error(method_, &out), SNAPCUBE_OK) << snapcube_last_error();
  EXPECT_EQ(scattered.at(7, 11), error(7, 11));
  out.width = 25;
  EXPECT_EQ(snapcube_expected_error(method_, &out), SNAPCUBE_BAD_INPUT);
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_FIELD), "error");
}

TEST_F(CApi, TakesAnyStrides) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    const int bands = 1 + static_cast<int>(random.below(5));
    const int height = 1 + static_cast<int>(random.below(9));
    const int width = 1 + static_cast<int>(random.below(9));
    const int step = static_cast<int>(random.below(5)) - 2;
    Scattered mask({height, width}, random);
    Scattered scene({bands, height, width}, random);
    Image plain_mask(height, width);
    Cube plain_scene(bands, height, width);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        mask.at(y, x) = plain_mask(y, x) = static_cast<float>(random.uniform());
        for (int b = 0; b < bands; ++b) {
          scene.at(b, y, x) = plain_scene(b, y, x) = static_cast<float>(random.uniform());
        }
      }
    }
    const Camera reference(plain_mask, {.bands = bands, .step = step});
    Scattered measurement({reference.detector_height(), reference.detector_width()}, random);

    snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
    options.bands = bands;
    options.step = step;
    const snapcube_image aperture = mask.image();
    snapcube_camera* camera = nullptr;
    ASSERT_EQ(snapcube_camera_create(&aperture, &options, &camera), SNAPCUBE_OK) << snapcube_last_error();
    const snapcube_cube in = scene.cube();
    snapcube_image out = measurement.image();
    ASSERT_EQ(snapcube_simulate(camera, &in, "none", 1, &out), SNAPCUBE_OK) << snapcube_last_error();
    const Image expected = reference.forward(plain_scene);
    for (int y = 0; y < expected.height(); ++y) {
      for (int x = 0; x < expected.width(); ++x) ASSERT_EQ(measurement.at(y, x), expected(y, x));
    }
    Scattered cube({bands, height, width}, random);
    snapcube_cube result = cube.cube();
    ASSERT_EQ(snapcube_reconstruct(method_, camera, &out, &result, nullptr, nullptr), SNAPCUBE_OK)
        << snapcube_last_error();
    const Cube wanted = Reconstructor::open("gap-tv", {{"iterations", "3"}}).reconstruct(expected, reference);
    for (int b = 0; b < bands; ++b) {
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) ASSERT_EQ(cube.at(b, y, x), wanted(b, y, x));
      }
    }
    snapcube_camera_free(camera);
  }
}

TEST_F(CApi, RefusesSizesThatDoNotFit) {
  Image measurement(20, 29);
  EXPECT_EQ(simulate(scene_, measurement), SNAPCUBE_BAD_INPUT);
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_FIELD), "measurement");
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_EXPECTED), "20×30");
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_FOUND), "20×29");
  EXPECT_STREQ(snapcube_last_error_part(4), "");
  EXPECT_STREQ(snapcube_last_error_part(-1), "");
  Cube cube(4, 20, 24);
  EXPECT_EQ(reconstruct(measurement, cube), SNAPCUBE_BAD_INPUT);
  Image good(20, 30);
  Cube small(4, 20, 23);
  EXPECT_EQ(reconstruct(good, small), SNAPCUBE_BAD_INPUT);
  EXPECT_EQ(simulate(small, good), SNAPCUBE_BAD_INPUT);

  const int least = std::numeric_limits<int>::min();
  const int most = std::numeric_limits<int>::max();
  for (const auto& [height, width] : {std::pair{0, 5}, {5, 0}, {-1, 5}, {least, least}}) {
    const snapcube_image image{good.data(), height, width, 0, 0};
    snapcube_camera* camera = nullptr;
    EXPECT_EQ(snapcube_camera_create(&image, nullptr, &camera), SNAPCUBE_BAD_INPUT) << height << ' ' << width;
    EXPECT_EQ(camera, nullptr);
  }
  const snapcube_cube huge{good.data(), most, most, most, 0, 0, 0};
  EXPECT_EQ(snapcube_write_cube(&huge, nullptr, "/nowhere/cube.npy"), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, RefusesStridesThatReachTooFarOrOverlap) {
  const Image measurement(20, 30);
  const std::ptrdiff_t least = std::numeric_limits<std::ptrdiff_t>::min();
  const std::ptrdiff_t most = std::numeric_limits<std::ptrdiff_t>::max();
  Image out(20, 30);
  const snapcube_cube in = view(scene_);
  for (const std::ptrdiff_t far : {least, most, least + 1, most / 2}) {
    snapcube_image image{out.data(), 20, 30, far, 1};
    EXPECT_EQ(snapcube_simulate(camera_, &in, nullptr, 1, &image), SNAPCUBE_BAD_INPUT) << far;
  }
  for (const auto& [row, column] :
       {std::pair<std::ptrdiff_t, std::ptrdiff_t>{0, 1}, {1, 0}, {1, 1}, {29, 1}, {1, -19}}) {
    snapcube_image image{out.data(), 20, 30, row, column};
    EXPECT_EQ(snapcube_simulate(camera_, &in, nullptr, 1, &image), SNAPCUBE_BAD_INPUT) << row << ' ' << column;
  }
  // An input may repeat its values: one band for all.
  const snapcube_cube grey{scene_.data(), 4, 20, 24, 0, 24, 1};
  snapcube_image image = view(out);
  EXPECT_EQ(snapcube_simulate(camera_, &grey, nullptr, 1, &image), SNAPCUBE_OK) << snapcube_last_error();
}

TEST_F(CApi, RefusesWhatIsNotFinite) {
  Image measurement = reference_.forward(scene_);
  measurement(3, 4) = std::numeric_limits<float>::quiet_NaN();
  Cube cube(4, 20, 24, 7.0f);
  EXPECT_EQ(reconstruct(measurement, cube), SNAPCUBE_BAD_INPUT);
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_FOUND), "1 of 600 NaN or infinite");
  EXPECT_EQ(cube(0, 0, 0), 7.0f);
  mask_(0, 0) = std::numeric_limits<float>::infinity();
  snapcube_camera* camera = nullptr;
  const snapcube_image aperture = view(mask_);
  EXPECT_EQ(snapcube_camera_create(&aperture, nullptr, &camera), SNAPCUBE_BAD_INPUT);
  double offsets[28] = {std::nan("")};
  snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
  options.offsets = offsets;
  mask_(0, 0) = 1;
  EXPECT_EQ(snapcube_camera_create(&aperture, &options, &camera), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, RefusesNullPointers) {
  snapcube_image image = view(mask_);
  snapcube_cube cube = view(scene_);
  snapcube_image no_image{nullptr, 5, 5, 0, 0};
  snapcube_sizes sizes;
  snapcube_scores scores;
  snapcube_camera* camera = nullptr;
  snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
  const auto bad = SNAPCUBE_BAD_INPUT;
  EXPECT_EQ(snapcube_camera_create(nullptr, nullptr, &camera), bad);
  EXPECT_EQ(snapcube_camera_create(&no_image, nullptr, &camera), bad);
  EXPECT_EQ(snapcube_camera_create(&image, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_camera_read(nullptr, nullptr, &camera), bad);
  EXPECT_EQ(snapcube_camera_sizes(nullptr, &sizes), bad);
  EXPECT_EQ(snapcube_camera_sizes(camera_, nullptr), bad);
  EXPECT_EQ(snapcube_camera_bands(nullptr, 4, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_camera_bands(camera_, 4, nullptr, nullptr), SNAPCUBE_OK);
  EXPECT_EQ(snapcube_simulate(nullptr, &cube, nullptr, 1, &image), bad);
  EXPECT_EQ(snapcube_simulate(camera_, nullptr, nullptr, 1, &image), bad);
  EXPECT_EQ(snapcube_simulate(camera_, &cube, nullptr, 1, nullptr), bad);
  EXPECT_EQ(snapcube_reconstructor_open("gap-tv", nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_reconstructor_camera(nullptr, &options), bad);
  EXPECT_EQ(snapcube_reconstructor_camera(method_, nullptr), bad);
  EXPECT_EQ(snapcube_reconstruct(nullptr, camera_, &image, &cube, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_reconstruct(method_, nullptr, &image, &cube, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_reconstruct(method_, camera_, nullptr, &cube, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_reconstruct(method_, camera_, &image, nullptr, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_expected_error(nullptr, &image), bad);
  EXPECT_EQ(snapcube_expected_error(method_, nullptr), bad);
  EXPECT_EQ(snapcube_score(nullptr, &cube, nullptr, &scores), bad);
  EXPECT_EQ(snapcube_score(&cube, nullptr, nullptr, &scores), bad);
  EXPECT_EQ(snapcube_score(&cube, &cube, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_read_cube(nullptr, &cube, nullptr), bad);
  EXPECT_EQ(snapcube_read_cube("x.npy", nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_read_image(nullptr, SNAPCUBE_MASK, &image), bad);
  EXPECT_EQ(snapcube_read_image("x.npy", SNAPCUBE_MASK, nullptr), bad);
  EXPECT_EQ(snapcube_write_cube(nullptr, nullptr, "x.npy"), bad);
  EXPECT_EQ(snapcube_write_cube(&cube, nullptr, nullptr), bad);
  EXPECT_EQ(snapcube_write_image(nullptr, SNAPCUBE_MASK, "x.npy"), bad);
  EXPECT_EQ(snapcube_write_image(&image, SNAPCUBE_MASK, nullptr), bad);
  EXPECT_EQ(snapcube_random_mask(0.5, 1, nullptr), bad);
  EXPECT_EQ(snapcube_make_scene(nullptr, nullptr, 1, &cube), bad);
  EXPECT_EQ(snapcube_make_scene("chart", nullptr, 1, nullptr), bad);
  snapcube_camera_free(nullptr);
  snapcube_reconstructor_free(nullptr);
  snapcube_free(nullptr);
}

TEST_F(CApi, RefusesHandlesThatWereFreedOrNeverWere) {
  snapcube_sizes sizes;
  snapcube_camera_free(camera_);
  snapcube_camera_free(camera_);
  EXPECT_EQ(snapcube_camera_sizes(camera_, &sizes), SNAPCUBE_BAD_INPUT);
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_FIELD), "camera");
  int somewhere = 0;
  EXPECT_EQ(snapcube_camera_sizes(reinterpret_cast<snapcube_camera*>(&somewhere), &sizes), SNAPCUBE_BAD_INPUT);
  snapcube_reconstructor_free(method_);
  snapcube_reconstructor_free(method_);
  snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
  EXPECT_EQ(snapcube_reconstructor_camera(method_, &options), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, RefusesOptionsThatMakeNoCamera) {
  const snapcube_image aperture = view(mask_);
  snapcube_camera* camera = nullptr;
  const auto refused = [&](auto change) {
    snapcube_camera_options options = SNAPCUBE_CAMERA_OPTIONS;
    change(options);
    return snapcube_camera_create(&aperture, &options, &camera) == SNAPCUBE_BAD_INPUT && camera == nullptr;
  };
  EXPECT_TRUE(refused([](auto& o) { o.size = 8; }));
  EXPECT_TRUE(refused([](auto& o) { o.bands = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.bands = -3; }));
  EXPECT_TRUE(refused([](auto& o) { o.axis = 2; }));
  EXPECT_EQ(snapcube_camera_read("/nowhere/mask.mat", nullptr, &camera), SNAPCUBE_BAD_INPUT);
  EXPECT_STREQ(snapcube_last_error_part(SNAPCUBE_ERROR_SOURCE), "/nowhere/mask.mat");
}

TEST_F(CApi, RefusesMethodsAndSettingsThatAreNotKnown) {
  snapcube_reconstructor* method = nullptr;
  EXPECT_EQ(snapcube_reconstructor_open("gap-vt", nullptr, &method), SNAPCUBE_BAD_INPUT);
  EXPECT_EQ(method, nullptr);
  const char* no_value[] = {"iterations", nullptr};
  EXPECT_EQ(snapcube_reconstructor_open("gap-tv", no_value, &method), SNAPCUBE_BAD_INPUT);
  const char* unknown[] = {"iteration=3", nullptr};
  EXPECT_EQ(snapcube_reconstructor_open("gap-tv", unknown, &method), SNAPCUBE_BAD_INPUT);
  EXPECT_NE(std::string(snapcube_last_error()).find("iteration"), std::string::npos);
}

TEST_F(CApi, ACallbackFollowsAndStopsAReconstruction) {
  Image measurement = reference_.forward(scene_);
  Cube cube(4, 20, 24, 7.0f);
  int calls = 0;
  const auto count = [](int done, int total, double residual, void* user) {
    EXPECT_LE(done, total);
    EXPECT_GE(residual, 0);
    ++*static_cast<int*>(user);
    return 0;
  };
  ASSERT_EQ(reconstruct(measurement, cube, count, &calls), SNAPCUBE_OK);
  EXPECT_EQ(calls, 3);
  cube = Cube(4, 20, 24, 7.0f);
  const auto stop = [](int, int, double, void*) { return 1; };
  EXPECT_EQ(reconstruct(measurement, cube, stop), SNAPCUBE_INTERRUPTED);
  EXPECT_TRUE(std::ranges::all_of(cube.values(), [](float v) { return v == 7.0f; }));
}

TEST_F(CApi, ACallbackThatThrowsIsAnError) {
  Image measurement = reference_.forward(scene_);
  Cube cube(4, 20, 24);
  EXPECT_EQ(reconstruct(measurement, cube, [](int, int, double, void*) -> int { throw std::runtime_error("oops"); }),
            SNAPCUBE_FAILED);
  EXPECT_STREQ(snapcube_last_error(), "oops");
  EXPECT_EQ(reconstruct(measurement, cube, [](int, int, double, void*) -> int { throw 42; }), SNAPCUBE_FAILED);
  EXPECT_EQ(reconstruct(measurement, cube), SNAPCUBE_OK) << "the reconstructor can be used again";
}

TEST_F(CApi, ACallbackCannotEnterItsOwnReconstructor) {
  Image measurement = reference_.forward(scene_);
  Cube cube(4, 20, 24);
  std::function<int()> again = [&] {
    Cube other(4, 20, 24);
    return reconstruct(measurement, other);
  };
  const auto enter = [](int, int, double, void* user) {
    EXPECT_EQ((*static_cast<std::function<int()>*>(user))(), SNAPCUBE_BAD_INPUT);
    return 0;
  };
  EXPECT_EQ(reconstruct(measurement, cube, enter, &again), SNAPCUBE_OK);
}

TEST_F(CApi, ThreadsShareHandlesAndHaveTheirOwnErrors) {
  const Image measurement = reference_.forward(scene_);
  const Cube wanted = Reconstructor::open("gap-tv", {{"iterations", "3"}}).reconstruct(measurement, reference_);
  std::atomic<int> wrong = 0;
  const auto work = [&](int id) {
    for (int i = 0; i < 20; ++i) {
      Image own = measurement;
      Cube cube(4, 20, 24);
      if (reconstruct(own, cube) != SNAPCUBE_OK || !std::ranges::equal(cube.values(), wanted.values())) ++wrong;
      const std::string missing = "/nowhere/" + std::to_string(id) + ".npy";
      snapcube_image image;
      if (snapcube_read_image(missing.c_str(), SNAPCUBE_MASK, &image) != SNAPCUBE_BAD_INPUT) ++wrong;
      if (snapcube_last_error_part(SNAPCUBE_ERROR_SOURCE) != missing) ++wrong;
    }
  };
  std::thread first(work, 1);
  std::thread second(work, 2);
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CApi, AHandleMayBeFreedWhileAnotherThreadUsesIt) {
  Image measurement = reference_.forward(scene_);
  Cube cube(4, 20, 24);
  struct Handles {
    snapcube_camera* camera;
    snapcube_reconstructor* method;
  } handles{camera_, method_};
  const auto free_both = [](int, int, double, void* user) {
    std::thread([&] {
      snapcube_camera_free(static_cast<Handles*>(user)->camera);
      snapcube_reconstructor_free(static_cast<Handles*>(user)->method);
    }).join();
    return 0;
  };
  EXPECT_EQ(reconstruct(measurement, cube, free_both, &handles), SNAPCUBE_OK) << snapcube_last_error();
  EXPECT_EQ(reconstruct(measurement, cube), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, FilesKeepValuesAndWavelengths) {
  const testing::TemporaryFolder folder;
  const double wavelengths[] = {450, 500, 550, 600};
  const std::string path = folder / "cube.h5";
  const snapcube_cube cube = view(scene_);
  ASSERT_EQ(snapcube_write_cube(&cube, wavelengths, path.c_str()), SNAPCUBE_OK) << snapcube_last_error();
  snapcube_cube read;
  double* read_wavelengths = nullptr;
  ASSERT_EQ(snapcube_read_cube(path.c_str(), &read, &read_wavelengths), SNAPCUBE_OK) << snapcube_last_error();
  EXPECT_EQ(read.bands, 4);
  EXPECT_TRUE(std::equal(scene_.data(), scene_.data() + scene_.size(), read.data));
  ASSERT_NE(read_wavelengths, nullptr);
  EXPECT_TRUE(std::equal(wavelengths, wavelengths + 4, read_wavelengths));
  snapcube_free(read.data);
  snapcube_free(read_wavelengths);

  const snapcube_image mask = view(mask_);
  ASSERT_EQ(snapcube_write_image(&mask, SNAPCUBE_MASK, (folder / "mask.npy").c_str()), SNAPCUBE_OK);
  snapcube_image image;
  ASSERT_EQ(snapcube_read_image((folder / "mask.npy").c_str(), SNAPCUBE_MASK, &image), SNAPCUBE_OK);
  EXPECT_TRUE(std::equal(mask_.data(), mask_.data() + mask_.size(), image.data));
  snapcube_free(image.data);
  EXPECT_EQ(snapcube_read_image((folder / "mask.npy").c_str(), 7, &image), SNAPCUBE_BAD_INPUT);
  EXPECT_EQ(image.data, nullptr);
}

TEST_F(CApi, MakesScenesAndMasksInTheCallersMemory) {
  Image mask(20, 24);
  snapcube_image image = view(mask);
  ASSERT_EQ(snapcube_random_mask(0.5, 1, &image), SNAPCUBE_OK);
  EXPECT_TRUE(std::ranges::equal(mask.values(), mask_.values()));
  Cube scene(28, 16, 16);
  snapcube_cube cube = view(scene);
  ASSERT_EQ(snapcube_make_scene("chart", nullptr, 3, &cube), SNAPCUBE_OK) << snapcube_last_error();
  const Cube wanted = make_scene("chart", {.height = 16, .width = 16, .seed = 3});
  EXPECT_TRUE(std::ranges::equal(scene.values(), wanted.values()));
  EXPECT_EQ(snapcube_random_mask(1.5, 1, &image), SNAPCUBE_BAD_INPUT);
  EXPECT_EQ(snapcube_make_scene("nothing", nullptr, 1, &cube), SNAPCUBE_BAD_INPUT);
}

TEST_F(CApi, TheLogGoesWhereItIsSent) {
  const testing::LogCapture before;  // puts the usual sink back at the end
  std::vector<std::string> heard;
  snapcube_set_log(
      [](int, const char* message, void* user) { static_cast<std::vector<std::string>*>(user)->emplace_back(message); },
      &heard);
  log_info("something");
  EXPECT_EQ(heard, std::vector<std::string>{"something"});
  snapcube_set_log(nullptr, nullptr);
  log_info("nothing");
  EXPECT_EQ(heard.size(), 1u);
}

}  // namespace
}  // namespace snapcube
