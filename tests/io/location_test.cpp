#include "io/location.h"

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

TEST(Location, SplitsAfterAnExtensionOnly) {
  EXPECT_EQ(parse_location("a/results.mat:pred[3]").path, "a/results.mat");
  EXPECT_EQ(parse_location("a/results.mat:pred[3]").variable, "pred");
  EXPECT_EQ(parse_location("a/results.mat:pred[3]").index, 3);
  EXPECT_EQ(parse_location("A.MAT:x").variable, "x");
  EXPECT_EQ(parse_location("a.h5:scene/cube").variable, "scene/cube");
  EXPECT_EQ(parse_location("12:30/shot.png").path, "12:30/shot.png");
  EXPECT_EQ(parse_location("12:30/shot.npz:y").path, "12:30/shot.npz");
  EXPECT_EQ(parse_location("folder:of:pngs").path, "folder:of:pngs");
  EXPECT_EQ(parse_location("a.png:x").path, "a.png:x");
  EXPECT_EQ(parse_location("pred.npy:[2]").index, 2);
  EXPECT_EQ(parse_location("pred.npy:[2]").variable, "");
  for (const std::string bad : {"a.mat:", "a.mat:x[", "a.mat:x[]", "a.mat:x[-1]", "a.mat:x[1", "a.mat:x[1]y"}) {
    EXPECT_THROW(parse_location(bad), InputError) << bad;
  }
}

TEST(Location, SaysWhatIsWrongWithAPath) {
  TemporaryFolder folder;
  EXPECT_EQ(error_of<InputError>([] { read_cube("nowhere.mat"); }), "nowhere.mat: no such file");
  EXPECT_EQ(error_of<InputError>([] { read_cube("nowhere"); }), "nowhere: no such file");
  std::filesystem::create_directory(folder / "folder.mat");
  expect_contains(error_of<InputError>([&] { read_cube(folder / "folder.mat"); }),
                  "expected a .mat file, found a folder");
  write_file(folder / "a.xyz", "");
  expect_contains(error_of<InputError>([&] { read_cube(folder / "a.xyz"); }),
                  "extension: expected .mat, .npy, .npz, .h5, .hdf5, .hdr, .tif, .tiff, .png, or a "
                  "folder of PNGs, "
                  "found '.xyz'");
}

TEST(Choose, TakesTheIndexOfABatch) {
  LogCapture log;
  const std::string file = io_file("scipy_batch.mat");
  for (int i = 0; i < 3; ++i) {
    const std::string index = "[" + std::to_string(i) + "]";
    expect_codes(read_cube(file + ":pred" + index), 250, 1e-6, i);
    expect_codes(read_cube(file + ":" + index), 250, 1e-6, i);
    EXPECT_NEAR(read_measurement(file + ":meas" + index)(1, 0), 7 / 250.0 + i, 1e-6);
  }
  expect_contains(error_of<InputError>([&] { read_cube(file); }), "scipy_batch.mat:pred[0] … [2]), found 3×6×7×4");
  expect_contains(error_of<InputError>([&] { read_cube(file + ":pred[3]"); }), "expected an index 0 … 2, found 3");
  expect_contains(error_of<InputError>([&] { read_measurement(file); }), "meas[0] … [2]), found 3×6×7");
  expect_contains(error_of<InputError>([&] { read_cube(file + ":meas[0]"); }), "found 3×6×7");
}

TEST(Choose, SaysWhatIsInsideWhenAVariableIsMissing) {
  const std::string message = error_of<InputError>([] { read_cube(io_file("octave_v7.mat:nothing")); });
  expect_contains(message, "expected a variable 'nothing', found cube (6×7×4 float32), whole (6×7×4 float64), u8");
}

TEST(Choose, TakesNoMaskForAMeasurement) {
  LogCapture log;
  // `bits` and `mask` are both images: `bits` has no usual name, `mask` has another's.
  const Image image = read_measurement(io_file("scipy_plain.mat"));
  EXPECT_EQ(image(0, 1), 1.0f);
  EXPECT_EQ(image(0, 2), 0.0f);
  // The only image of a file is taken, whatever its name.
  expect_even_mask(read_measurement(io_file("octave_v7.mat")));
}

}  // namespace
}  // namespace snapcube
