#include <cmath>
#include <limits>

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

struct Target {
  std::string name;
  bool mat_v73 = false;
};
const std::vector<Target> kTargets{{"a.mat"}, {"a.mat", true}, {"a.npy"}, {"a.npz"}, {"a.h5"}};

/// Largest difference that a type may cause for values up to `scale`.
double tolerance(SampleType type, double scale) {
  if (type == SampleType::u8) return 0.5 / 255 * scale * 1.0001;
  if (type == SampleType::u16) return 0.5 / 65535 * scale * 1.01;
  return 0;
}

template <typename Values>
void expect_same(const Values& read, const Values& written, double tolerance) {
  ASSERT_EQ(read.height(), written.height());
  ASSERT_EQ(read.width(), written.width());
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t i = 0; i < read.size(); ++i) ASSERT_NEAR(read.data()[i], written.data()[i], tolerance) << i;
}

TEST(Write, GivesBackWhatWasWritten) {
  LogCapture log;
  // 13×17×28 is ambiguous without the wavelengths, and 127 and 33 are no multiples of a tile.
  for (const auto& [bands, height, width] : {std::array{28, 13, 17}, {5, 127, 33}, {1, 9, 8}, {3, 1, 1}, {7, 5, 300}}) {
    Cube cube = random_cube(bands, height, width, 7);
    for (int b = 0; b < bands; ++b) cube.wavelengths.push_back(400.5 + 10 * b);
    for (const Target& target : kTargets) {
      for (const SampleType type :
           {SampleType::automatic, SampleType::u8, SampleType::u16, SampleType::f32, SampleType::f64}) {
        SCOPED_TRACE(target.name + " " + std::to_string(static_cast<int>(type)) + " bands " + std::to_string(bands));
        TemporaryFolder folder;
        WriteOptions options;
        options.type = type;
        options.mat_v73 = target.mat_v73;
        write(cube, folder / target.name, options);
        ReadOptions reading;
        if (target.name == "a.npy") reading.layout = CubeLayout::height_width_bands;
        const Cube back = read_cube(folder / target.name, reading);
        ASSERT_EQ(back.bands(), bands);
        expect_same(back, cube, tolerance(type, 1));
        if (target.name != "a.npy") {
          EXPECT_EQ(back.wavelengths, cube.wavelengths);
        }
      }
    }
  }
}

TEST(Write, KeepsTheScaleOfAMeasurement) {
  LogCapture log;
  Image measurement = random_image(11, 23, 3);
  for (float& v : measurement.values()) v *= 20;
  for (const Target& target : kTargets) {
    for (const SampleType type : {SampleType::u8, SampleType::u16, SampleType::f32}) {
      SCOPED_TRACE(target.name);
      TemporaryFolder folder;
      WriteOptions options;
      options.type = type;
      options.mat_v73 = target.mat_v73;
      if (target.name == "a.npy" && type != SampleType::f32) {
        const std::string message =
            error_of<InputError>([&] { write_measurement(measurement, folder / target.name, options); });
        expect_contains(message, "no place for a scale (write floats, or .npz)");
        EXPECT_TRUE(folder.is_empty());
        continue;
      }
      write_measurement(measurement, folder / target.name, options);
      expect_same(read_measurement(folder / target.name), measurement, tolerance(type, 20));
    }
  }
  expect_contains(log.text(), "the scale stored in the file");
}

TEST(Write, GivesTheSameBytesAgain) {
  const Cube cube = random_cube(3, 9, 8, 1);
  for (const std::string name : {"a.mat", "a.npy", "a.npz", "a.h5"}) {
    TemporaryFolder folder;
    write(cube, folder / name);
    const std::string first = file_content(folder / name);
    write(cube, folder / name);
    EXPECT_EQ(file_content(folder / name), first) << name;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1) << name;
  }
}

TEST(Write, NamesTheArray) {
  TemporaryFolder folder;
  WriteOptions options;
  options.variable = "scene";
  const Cube cube = random_cube(3, 9, 8, 1);
  for (const std::string name : {"a.mat", "a.npz", "a.h5"}) {
    write(cube, folder / name, options);
    EXPECT_EQ(describe(folder / name).arrays.at(0).name, "scene");
    write(cube, (folder / name) + ":other");
    EXPECT_EQ(describe(folder / name).arrays.at(0).name, "other");
    write_mask(random_image(4, 5, 1), folder / name);
    EXPECT_EQ(describe(folder / name).arrays.at(0).name, "mask");
  }
  for (const std::string bad : {"1st", "a b", "a/b", "wavelengths", "ä"}) {
    options.variable = bad;
    EXPECT_THROW(write(cube, folder / "b.mat", options), InputError) << bad;
  }
  EXPECT_THROW(write(cube, (folder / "b.mat") + ":a[1]"), InputError);
}

TEST(Write, WarnsAboutNegativeValues) {
  TemporaryFolder folder;
  LogCapture log;
  Image mask = random_image(4, 5, 1);
  mask(1, 2) = -0.25f;
  WriteOptions options;
  options.type = SampleType::u8;
  write_mask(mask, folder / "a.npy", options);
  EXPECT_EQ(read_mask(folder / "a.npy")(1, 2), 0.0f);
  expect_contains(log.text(), "warning: mask: 1 of 20 values are negative and are written as 0");
}

TEST(Write, LeavesTheOldFileWhenItFails) {
  TemporaryFolder folder;
  Cube cube = random_cube(3, 9, 8, 1);
  for (const std::string name : {"a.mat", "a.npy", "a.npz", "a.h5"}) {
    write(cube, folder / name);
    const std::string before = file_content(folder / name);
    Cube bad = cube;
    bad(1, 2, 3) = std::numeric_limits<float>::quiet_NaN();
    expect_contains(error_of<InputError>([&] { write(bad, folder / name); }), "1 of 216 that are NaN or infinite");
    EXPECT_EQ(file_content(folder / name), before);
    EXPECT_THROW(write(cube, folder / ("missing/" + name)), Error);
  }
  EXPECT_THROW(write(Cube(), folder / "a.npy"), InputError);
  cube.wavelengths = {500};
  EXPECT_THROW(write(cube, folder / "a.npy"), InputError);
  EXPECT_THROW(write(cube, folder / "a.xyz"), InputError);
}

TEST(Write, WarnsWhenTheOrderOfAxesWillBeMisread) {
  TemporaryFolder folder;
  LogCapture log;
  write(random_cube(28, 7, 17, 1), folder / "a.npy");
  expect_contains(log.text(), "warning: ");
  expect_contains(log.text(), "7×17×28 is written as height × width × bands");
}

}  // namespace
}  // namespace snapcube
