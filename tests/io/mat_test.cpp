#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/damage.h"
#include "io/mat5.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

TEST(Mat, ReadsWhatScipyWrote) {
  for (const std::string name : {"scipy_plain.mat", "scipy_compressed.mat"}) {
    LogCapture log;
    const std::string file = io_file(name);
    expect_codes(read_cube(file), 250);
    expect_codes(read_cube(file + ":double"), 250);
    expect_codes(read_cube(file + ":u8"), 255);
    expect_codes(read_cube(file + ":u16"), 255);
    expect_even_mask(read_mask(file));
    EXPECT_EQ(read_cube(file).wavelengths, kWavelengths);
    expect_contains(log.text(), name + ": uint16 scaled to [0,1] by 1/65535");
    expect_contains(log.text(), name + ": uint8 scaled to [0,1] by 1/255");
  }
}

TEST(Mat, ReadsWhatOctaveWrote) {
  for (const std::string name : {"octave_v6.mat", "octave_v7.mat"}) {
    LogCapture log;
    const std::string file = io_file(name);
    expect_codes(read_cube(file), 250);
    expect_codes(read_cube(file + ":whole"), 1);
    expect_codes(read_cube(file + ":u16"), 255);
    expect_even_mask(read_mask(file));
    EXPECT_EQ(read_cube(file).wavelengths, kWavelengths);
    expect_contains(log.text(), "8-bit data stored as floats: divide it by 255");
  }
}

TEST(Mat, ReadsBigEndianFiles) {
  LogCapture log;
  expect_codes(read_cube(io_file("big_endian.mat")), 250);
}

TEST(Mat, ReadsVersion73) {
  LogCapture log;
  const std::string file = io_file("matlab73.mat");
  expect_codes(read_cube(file), 250);
  expect_codes(read_cube(file + ":u16"), 255);
  expect_even_mask(read_mask(file));
  EXPECT_EQ(read_cube(file).wavelengths, kWavelengths);
  const FileInfo info = describe(file);
  EXPECT_EQ(info.format, "MATLAB v7.3");
  EXPECT_EQ(info.wavelengths, kWavelengths);
  EXPECT_EQ(info.arrays.size(), 6u);  // MATLAB's own "#refs#" is left out
}

TEST(Mat, DescribesWithoutReading) {
  const FileInfo info = describe(io_file("scipy_plain.mat"));
  EXPECT_EQ(info.format, "MATLAB v5");
  EXPECT_EQ(info.wavelengths, kWavelengths);
  ASSERT_EQ(info.arrays.size(), 9u);
  EXPECT_EQ(info.arrays[0].name, "img");
  EXPECT_EQ(info.arrays[0].shape, (std::vector<std::int64_t>{6, 7, 4}));
  EXPECT_EQ(info.arrays[0].type, "float32");
  EXPECT_EQ(describe(io_file("scipy_plain.mat:mask")).arrays.at(0).type, "logical");
}

TEST(Mat, NamesTheClassOfWhatIsNoArray) {
  const std::string file = io_file("scipy_odd.mat");
  for (const auto& [name, found] : {std::pair{"complex", "complex float64"},
                                    {"struct", "struct"},
                                    {"text", "char"},
                                    {"cell", "cell"},
                                    {"sparse", "sparse"}}) {
    const std::string location = file + ":" + name;
    const std::string message = error_of<InputError>([&] { read_measurement(location); });
    expect_contains(message, std::string("'") + name + "': expected an array of real numbers, found " + found);
  }
  expect_contains(error_of<InputError>([&] { read_cube(file); }), "struct (1×1 struct)");
  expect_contains(error_of<InputError>([] { read_cube(io_file("matlab73.mat:cell")); }), "found cell");
  expect_contains(error_of<InputError>([] { read_cube(io_file("matlab73.mat:text")); }), "found char");
}

TEST(Mat, RefusesDamagedFiles) {
  for (const auto& [name, part] : {std::pair{"short_stream", "cut or damaged"},
                                   {"short_values", "expected 672 bytes for 6×7×4 float32, found 400"},
                                   {"cut_stream", "cut or damaged"},
                                   {"flipped_stream", "zlib stream"},
                                   {"huge_double", "expected 7200000000 bytes"},
                                   {"huge_double_compressed", "cut or damaged"},
                                   {"negative", "sizes of at least 0"}}) {
    const std::string file = io_file(std::string("bad_") + name + ".mat");
    const std::string message = error_of<InputError>([&] { read_cube(file + ":x"); });
    expect_contains(message, file);
    expect_contains(message, part);
  }
}

TEST(Mat, RefusesANameThatOccursTwice) {
  TemporaryFolder folder;
  const std::string whole = file_content(io_file("big_endian.mat"));
  const std::string name = describe(io_file("big_endian.mat")).arrays.at(0).name;
  write_file(folder / "twice.mat", whole + whole.substr(128));
  expect_contains(error_of<InputError>([&] { read_cube(folder / "twice.mat"); }),
                  "names: expected each once, found '" + name + "' twice");
}

TEST(Mat, AllocatesNothingForWhatAStructClaims) {
  // 187 bytes that claim 9·10^8 elements of two fields; a program that listed them with
  // matio 1.5.23 was killed.
  expect_contains(error_of<InputError>([] { read_cube(io_file("bad_huge_struct.mat:x")); }), "found struct");
}

TEST(Mat, RefusesAbsurdSizes) {
  ReadOptions options;
  options.max_bytes = 10'000;  // the file itself is shorter
  options.wavelengths = {};
  EXPECT_NO_THROW(describe(io_file("scipy_plain.mat"), options));
  const std::string message = error_of<InputError>([&] { read_cube(io_file("bad_huge_double.mat:x"), options); });
  expect_contains(message, "expected at most 10000 bytes (the limit for reading), found 30000×30000 elements");
}

TEST(Mat, RefusesEveryTruncation) {
  for (const std::string name : {"scipy_plain.mat", "octave_v7.mat", "matlab73.mat", "big_endian.mat"}) {
    const std::string whole = file_content(io_file(name));
    // A v5 file may end after any variable: then it is a shorter file, not a damaged one.
    const bool v73 = name == "matlab73.mat";
    const std::size_t variables = v73 ? 1 : describe(io_file(name)).arrays.size();
    TemporaryFolder folder;
    LogCapture log;
    const std::size_t step = v73 ? 17 : 1;
    const auto read = [&](const std::string& cut) {
      write_file(folder / "cut.mat", cut);
      expect_codes(read_cube(folder / "cut.mat"), 250);
    };
    EXPECT_GT(refused_truncations(whole, read, step) + variables, (whole.size() + step - 1) / step) << name;
  }
}

TEST(Mat, SurvivesEveryChangedByte) {
  for (const std::string name : {"octave_v7.mat", "big_endian.mat", "scipy_odd.mat"}) {
    refused_changes(file_content(io_file(name)), [&](const std::string& changed) {
      const auto bytes = std::as_bytes(std::span(changed));
      for (const ArrayInfo& array : list_mat5(bytes, name)) load_mat5(bytes, array.name, name, 1 << 20);
    });
  }
}

TEST(Mat, SaysWhatElseTheFileIs) {
  expect_contains(error_of<InputError>([] { read_cube(io_file("octave_text.mat")); }), "save it with -v7");
  TemporaryFolder folder;
  write_file(folder / "empty.mat", "");
  expect_contains(error_of<InputError>([&] { read_cube(folder / "empty.mat"); }),
                  "expected a MATLAB file, v5 or v7.3, found an empty file");
}

}  // namespace
}  // namespace snapcube
