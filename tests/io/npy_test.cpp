#include "io/npy.h"

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "io/damage.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

std::string npy_text(const std::string& dictionary, const std::string& data) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size() & 0xFF);
  text += static_cast<char>(dictionary.size() >> 8);
  return text + dictionary + data;
}

StoredArray parse(const std::string& text) { return parse_npy(std::as_bytes(std::span(text)), "x.npy", 1 << 20); }

TEST(Npy, ReadsWhatNumpyWrote) {
  LogCapture log;
  for (const std::string name : {"little_f4", "big_f4", "little_f8", "big_f8", "fortran", "version2", "version3"}) {
    SCOPED_TRACE(name);
    expect_codes(read_cube(io_file("numpy_" + name + ".npy")), 250);
  }
  for (const std::string name : {"u1", "little_u2", "big_u2"}) {
    SCOPED_TRACE(name);
    expect_codes(read_cube(io_file("numpy_" + name + ".npy")), 255);
  }
  expect_codes(read_cube(io_file("numpy_little_f2.npy")), 250, 0x1p-11);
  expect_even_mask(read_mask(io_file("numpy_bool.npy")));
}

TEST(Npy, NamesTypesThatAreNoNumbers) {
  for (const std::string name : {"object", "structured", "complex"}) {
    const std::string message = error_of<InputError>([&] { read_measurement(io_file("numpy_" + name + ".npy")); });
    expect_contains(message, name);
    EXPECT_FALSE(describe(io_file("numpy_" + name + ".npy")).arrays.at(0).readable);
  }
}

TEST(Npy, RefusesEveryTruncationAndEveryAddition) {
  const std::string whole = file_content(io_file("numpy_little_f4.npy"));
  EXPECT_EQ(refused_truncations(whole, parse), whole.size());
  EXPECT_THROW(parse(whole + "x"), InputError);
  EXPECT_NO_THROW(parse(whole));
}

TEST(Npy, SurvivesEveryChangedByte) {
  const std::string whole = file_content(io_file("numpy_little_f4.npy")).substr(0, 128 + 64);
  for (std::size_t i = 0; i < 128; ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      try {
        parse(changed);
      } catch (const InputError&) {
      }
    }
  }
}

TEST(Npy, ParsesTheHeaderStrictly) {
  const std::string good = "{'descr': '<u2', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(parse(npy_text(good, std::string(12, 'a'))).shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(parse(npy_text("{\"shape\":(3L,),\"descr\":\"|u1\",\"fortran_order\":True}  \n", "abc")).shape,
            (std::vector<std::int64_t>{3}));
  for (const auto& [dictionary, part] : {
           std::pair{"{'descr': '<u2', 'fortran_order': False}", "descr, fortran_order and shape"},
           {"{'descr': '<u2', 'descr': '<u2', 'fortran_order': False, 'shape': (6,)}", "once each"},
           {"{'descr': '<u2', 'fortran_order': 0, 'shape': (6,)}", "True or False"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (-6,)}", "a size"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (6,)} x", "nothing after the dictionary"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (4294967296, 4294967296, 16)}", "at most 1048576 bytes"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (9223372036854775807, 2)}", "at most 1048576 bytes"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (0, 6)}", "positive sizes"},
           {"{'descr': '<f16', 'fortran_order': False, 'shape': (6,)}", "type '<f16'"},
           {"{'descr': '<u2', 'fortran_order': False, 'shape': (7,)}", "expected 14 bytes for 7 of uint16, found 12"},
           {"{'descr': [('a', '<u2'", "']'"},
       }) {
    const std::string text = npy_text(dictionary, std::string(12, 'a'));
    expect_contains(error_of<InputError>([&] { parse(text); }), part);
  }
}

TEST(Npz, ReadsWhatNumpyWrote) {
  LogCapture log;
  const std::string stored = io_file("numpy_stored.npz");
  expect_codes(read_cube(stored), 250);
  EXPECT_EQ(read_cube(stored).wavelengths, kWavelengths);
  EXPECT_EQ(describe(stored).wavelengths, kWavelengths);
  expect_even_mask(read_mask(stored));
  expect_codes(read_cube(io_file("numpy_deflated.npz:a")), 250);
  expect_codes(read_cube(io_file("numpy_deflated.npz:b")), 500);
}

TEST(Npz, ListsTheContentsWhenItCannotChoose) {
  const std::string message = error_of<InputError>([] { read_cube(io_file("numpy_deflated.npz")); });
  expect_contains(message, "numpy_deflated.npz:a)");
  expect_contains(message, "found a (6×7×4 float32), b (6×7×4 float32)");
}

TEST(Npz, RefusesEveryTruncation) {
  const std::string whole = file_content(io_file("numpy_stored.npz"));
  TemporaryFolder folder;
  const auto read = [&](const std::string& cut) {
    write_file(folder / "cut.npz", cut);
    read_cube(folder / "cut.npz");
  };
  EXPECT_EQ(refused_truncations(whole, read), whole.size());
}

TEST(Npz, SurvivesEveryChangedByte) {
  const std::string whole = file_content(io_file("numpy_deflated.npz"));
  TemporaryFolder folder;
  LogCapture log;
  const auto read = [&](const std::string& changed) {
    write_file(folder / "changed.npz", changed);
    // What can be read in spite of the change is what was written: each entry has a checksum.
    expect_codes(read_cube(folder / "changed.npz:a"), 250);
  };
  refused_changes(whole, read, {0xFF});
}

TEST(Npz, RefusesANameThatOccursTwice) {
  expect_contains(error_of<InputError>([] { read_cube(io_file("numpy_twice.npz")); }),
                  "names: expected each once, found 'a' twice");
}

TEST(Npz, RefusesAnEntryThatClaimsTooMuch) {
  expect_contains(error_of<InputError>([] { read_cube(io_file("absurd.npz")); }),
                  "expected at most 17179869184 bytes (the limit for reading), found "
                  "100000×100000×100 elements");
}

}  // namespace
}  // namespace snapcube
