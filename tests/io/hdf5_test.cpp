#include <algorithm>
#include <array>
#include <hdf5.h>
#include <pthread.h>

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/damage.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

TEST(Hdf5, ReadsWhatH5pyWrote) {
  LogCapture log;
  const std::string file = io_file("h5py.h5");
  expect_codes(read_cube(file), 250);
  expect_codes(read_cube(file + ":scene/half"), 250, 0x1p-11);
  expect_codes(read_cube(file + ":scene/big"), 250);
  expect_codes(read_cube(file + ":scene/u16"), 255);
  expect_even_mask(read_mask(file));
  EXPECT_EQ(read_cube(file).wavelengths, kWavelengths);
  EXPECT_EQ(describe(file).wavelengths, kWavelengths);
}

/// HDF5's number of something that is open, closed at the end of the scope.
struct Handle {
  Handle(hid_t number, herr_t (*end)(hid_t)) : id(number), close(end) {}
  ~Handle() { close(id); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  hid_t get() const { return id; }

  hid_t id;
  herr_t (*close)(hid_t);
};

int forks = 0;

TEST(Hdf5, ForksOnlyWhereItMay) {
  LogCapture log;
  ASSERT_EQ(::pthread_atfork([] { ++forks; }, nullptr, nullptr), 0);
  ReadOptions options;
  options.may_fork = false;
  expect_codes(read_cube(io_file("h5py.h5"), options), 250);
  EXPECT_EQ(describe(io_file("h5py.h5"), options).wavelengths, kWavelengths);
  EXPECT_EQ(forks, 0);
  read_cube(io_file("h5py.h5"));
  EXPECT_GT(forks, 0) << "the counter does not count";
}

TEST(Hdf5, ReadsWhatOctaveWrote) {
  LogCapture log;
  expect_codes(read_cube(io_file("octave.h5")), 250);
}

TEST(Hdf5, ReadsMatlabFilesOfThatExtension) {
  TemporaryFolder folder;
  LogCapture log;
  std::filesystem::copy(io_file("matlab73.mat"), folder / "matlab.h5");
  expect_codes(read_cube(folder / "matlab.h5"), 250);
}

TEST(Hdf5, NamesTypesThatAreNoNumbers) {
  const std::string file = io_file("h5py.h5");
  expect_contains(error_of<InputError>([&] { read_cube(file + ":records"); }), "found compound");
  expect_contains(error_of<InputError>([&] { read_cube(file + ":text"); }), "found text");
}

TEST(Hdf5, NeverLeavesTheFile) {
  const std::string file = io_file("h5py_links.h5");
  std::vector<std::string> names;
  for (const ArrayInfo& array : describe(file).arrays) names.push_back(array.name);
  EXPECT_EQ(names, (std::vector<std::string>{"inside", "raw", "virtual"}));
  EXPECT_THROW(read_cube(file + ":outside"), InputError);
  EXPECT_THROW(read_cube(file + ":loop/outside"), InputError);
  expect_contains(error_of<InputError>([&] { read_mask(file + ":raw"); }), "values in another file");
  expect_contains(error_of<InputError>([&] { read_mask(file + ":virtual"); }), "values in other files");
  EXPECT_EQ(read_measurement(file).width(), kWidth);
}

TEST(Hdf5, RefusesASmallFileThatClaimsMuch) {
  expect_contains(error_of<InputError>([] { read_cube(io_file("h5py_absurd.h5")); }),
                  "expected at most 17179869184 bytes (the limit for reading), found "
                  "100000×100000×100 elements");
}

TEST(Hdf5, LooksAtChunksBeforeHdf5Does) {
  const std::string file = io_file("h5py_short_chunk.h5");
  expect_contains(error_of<InputError>([&] { read_measurement(file + ":short"); }),
                  "'short': expected chunks of 168 bytes, found one of another size");
  expect_contains(error_of<InputError>([&] { read_measurement(file + ":lzf"); }),
                  "'lzf': expected the filters shuffle, deflate and fletcher32, in this order, found filter 32000");
}

TEST(Hdf5, ReadsMoreChunksThanOneCallTakes) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "chunks.h5";
  const std::array<hsize_t, 3> extents = {41, 70, 50};
  const std::array<hsize_t, 3> chunk = {1, 3, 7};  // 41·24·8 = 7872
  std::vector<float> values(41 * 70 * 50);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 9973) / 9973;
  {
    const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    const Handle space(H5Screate_simple(3, extents.data(), nullptr), H5Sclose);
    const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties.get(), 3, chunk.data());
    const Handle set(
        H5Dcreate2(file.get(), "cube", H5T_NATIVE_FLOAT, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        H5Dclose);
    ASSERT_GE(H5Dwrite(set.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }
  const Cube cube = read_cube(path);
  ASSERT_EQ(cube.size(), values.size());
  EXPECT_TRUE(std::equal(values.begin(), values.end(), cube.data()));
}

TEST(Hdf5, RefusesTruncationsQuietly) {
  const std::string whole = file_content(io_file("h5py.h5"));
  TemporaryFolder folder;
  ::testing::internal::CaptureStderr();
  const auto read = [&](const std::string& cut) {
    write_file(folder / "cut.h5", cut);
    read_cube(folder / "cut.h5");
  };
  EXPECT_EQ(refused_truncations(whole, read, 41), (whole.size() + 40) / 41);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace snapcube
