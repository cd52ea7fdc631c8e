#pragma once
// Damaged and lying arrays: NumPy, MATLAB v5, ENVI.

#include <fmt/format.h>
#include <limits>
#include <zlib.h>

#include "bad_files/table.h"
#include "pth_files.h"

namespace snapcube::testing {

/// A version 1 file; the header as Python writes it.
inline std::string npy(const std::string& shape, const std::string& data, const std::string& type = "<f4",
                       const std::string& more = "") {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}{}}}", type, shape, more);
  header.resize((header.size() + 10 + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\0", 8) + little_endian(header.size(), 2) + header + data;
}

inline BadFiles bad_npy() {
  const std::string good = npy("(2, 3)", std::string(24, '\0'));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const auto image = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.npy", content, ReadAs::image, verdict};
  };
  return {
      image("nothing", "", "npy header: expected an .npy file, found something else, or less than a header"),
      image("cut in the magic", good.substr(0, 5),
            "npy header: expected an .npy file, found something else, or less than a header"),
      image("cut before the header's length", good.substr(0, 8),
            "npy header: expected an .npy file, found something else, or less than a header"),
      image("cut in the header", good.substr(0, 40), "npy header: expected 118 bytes, found 30 up to the end"),
      image("cut before the data", good.substr(0, good.size() - 24),
            "data: expected 24 bytes for 2×3 of float32, found 0"),
      image("cut in the data", good.substr(0, good.size() - 1), "data: expected 24 bytes for 2×3 of float32, found 23"),
      image("a byte more", good + "x", "data: expected 24 bytes for 2×3 of float32, found 25"),
      image("version 9", std::string(good).replace(6, 1, "\x09"), "npy header: expected version 1, 2 or 3, found 9"),
      image("a negative size", npy("(-2, 3)", ""), "npy header: expected a size, found \"-2, 3)}             \""),
      image("a size of zero", npy("(0, 3)", ""), "shape: expected positive sizes, found 0×3"),
      image("sizes whose product is 0 in 64 bits", npy("(4294967296, 4294967296)", ""),
            "shape: expected at most 67108864 bytes (the limit for reading), found 4294967296×4294967296 elements of 4 "
            "bytes"),
      image("a size beyond 64 bits", npy("(99999999999999999999, 3)", ""),
            "npy header: expected a size, found \"99999999999999999999\""),
      image("a petabyte", npy("(1000000, 1000000000)", ""),
            "shape: expected at most 67108864 bytes (the limit for reading), found 1000000×1000000000 elements of 4 "
            "bytes"),
      image("no sizes", npy("()", float_bytes({1})), "values: expected two dimensions, found a single value"),
      image("Python objects", npy("(2, 3)", std::string(48, '\0'), "|O"),
            "expected an array of real numbers with 2 dimensions, found an array (2×3 object)"),
      image("complex numbers", npy("(2, 3)", std::string(48, '\0'), "<c8"),
            "expected an array of real numbers with 2 dimensions, found an array (2×3 complex64)"),
      image("a record", npy("(2, 3)", std::string(24, '\0'), "|V4"),
            "expected an array of real numbers with 2 dimensions, found an array (2×3 structured)"),
      image("a key twice", npy("(2, 3)", std::string(24, '\0'), "<f4", ", 'shape': (3, 2)"),
            "npy header: expected the keys descr, fortran_order and shape, once each, found 'shape'"),
      image("NaN", npy("(1, 2)", float_bytes({0, nan})),
            "values: expected finite 32-bit floats, found 1 of 2 values that are not, the first (NaN) at row 0, column "
            "1"),
      image("infinity", npy("(1, 2)", float_bytes({infinity, 0})),
            "values: expected finite 32-bit floats, found 1 of 2 values that are not, the first (infinity) at row 0, "
            "column 0"),
      image("negative integers", npy("(1, 2)", "\x01\xff", "|i1"),
            "values: expected no negative integers (store floats instead), found int8 values down to -1"),
      image("a cube as an image", npy("(2, 3, 4)", std::string(96, '\0')),
            "values: expected two dimensions (for one of them write"),
  };
}

inline BadFiles bad_npz() {
  const std::string array = npy("(2, 3)", std::string(24, '\0'));
  const std::string good = zip_file({{"meas.npy", array}});
  // An array of zeros, with more zeros behind it than the archive's directory says.
  const auto packed = [](const std::string& shape, std::size_t bytes, std::size_t more) {
    const std::string said = npy(shape, std::string(bytes, '\0'));
    return ZipPart{.name = "meas.npy",
                   .data = deflated_raw(said + std::string(more, '\0')),
                   .size = static_cast<std::uint32_t>(said.size()),
                   .checksum = checksum(said),
                   .method = 8};
  };
  const auto image = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.npz", content, ReadAs::image, verdict};
  };
  return {
      image("nothing", "", "expected a zip archive (.npz)"),
      image("cut before the directory's end", good.substr(0, good.size() - 10), "expected a zip archive (.npz)"),
      image("cut in the directory", good.substr(0, good.size() - 30), "expected a zip archive (.npz)"),
      image("cut in the entry", good.substr(0, 60), "expected a zip archive (.npz)"),
      image("no arrays", zip_file({{"readme.txt", "x"}}),
            "expected an array of real numbers with 2 dimensions, found no arrays"),
      image("a name above the archive", zip_file({{"../meas.npy", array}}),
            "entries: expected names inside the archive, found '../meas.npy'"),
      image("an absolute name", zip_file({{"/etc/meas.npy", array}}),
            "entries: expected names inside the archive, found '/etc/meas.npy'"),
      image("a name twice", zip_file({{"meas.npy", array}, {"meas.npy", array}}),
            "names: expected each once, found 'meas' twice"),
      image("an encrypted entry", zip_file({{.name = "meas.npy", .data = array, .flags = 1}}),
            "expected an entry that is not encrypted, found an encrypted one"),
      image("a wrong checksum", zip_file({{.name = "meas.npy", .data = array, .checksum = 1}}),
            "expected sound compressed data, found CRC error"),
      image("a claim of 4 GB", zip_file({{.name = "meas.npy", .data = array, .size = 0xFFFFFFF0u, .method = 8}}),
            "size: expected what 152 compressed bytes can hold, found 4294967280 bytes"),
      image("a bomb, honest about its 67 MB", zip_file({packed("(4097, 4096)", 4 * 4097 * 4096, 0)}),
            "shape: expected at most 67108864 bytes (the limit for reading), found 4097×4096 elements of 4 bytes"),
      image("a bomb that says it is small", zip_file({packed("(2, 3)", 24, 16 << 20)}),
            "data: expected 152 bytes, found more"),
      image("garbage for a compressed stream",
            zip_file({{.name = "meas.npy", .data = std::string(200, '\xff'), .size = 152, .method = 8}}),
            "expected sound compressed data"),
      image("an unknown compression", zip_file({{.name = "meas.npy", .data = array, .method = 77}}),
            "expected an entry that can be read"),
      image("an entry behind the end", zip_file({{.name = "meas.npy", .data = array, .offset = 100'000}}),
            "expected an entry that can be read"),
      image("an array inside that is cut", zip_file({{"meas.npy", array.substr(0, 100)}}),
            "npy header: expected 118 bytes, found 90 up to the end"),
  };
}

/// A tag and its data, padded to eight bytes.
inline std::string mat_element(std::uint32_t type, const std::string& data) {
  return little_endian(type, 4) + little_endian(data.size(), 4) + data + std::string((8 - data.size() % 8) % 8, '\0');
}

/// A 2-D array `meas` of class `kind` (6: double).
inline std::string mat_array(int kind, std::int64_t rows, std::int64_t columns, const std::string& values,
                             std::uint32_t type = 9, const std::string& name = "meas") {
  return mat_element(14, mat_element(6, little_endian(static_cast<std::uint64_t>(kind), 4) + little_endian(0, 4)) +
                             mat_element(5, little_endian(static_cast<std::uint64_t>(rows), 4) +
                                                little_endian(static_cast<std::uint64_t>(columns), 4)) +
                             mat_element(1, name) + mat_element(type, values));
}

inline std::string mat_header() {
  std::string header = "MATLAB 5.0 MAT-file";
  header.resize(124, ' ');
  return header + std::string("\x00\x01IM", 4);
}

inline BadFiles bad_mat() {
  const std::string values(48, '\0');
  const std::string array = mat_array(6, 2, 3, values);
  const std::string good = mat_header() + array;
  const auto image = [](const char* what, const std::string& content, const char* verdict) {
    return BadFile{what, "x.mat", content, ReadAs::image, verdict};
  };
  const auto compressed = [](const std::string& stream) {
    return mat_header() + little_endian(15, 4) + little_endian(stream.size(), 4) + stream;
  };
  const std::string zeros = deflated(mat_array(6, 1000, 1000, std::string(8'000'000, '\0')));
  return {
      image("nothing", "", "expected a MATLAB file, v5 or v7.3, found an empty file"),
      image("cut in the header", good.substr(0, 100), "expected a MATLAB file, v5 or v7.3, found something else"),
      image("cut after the header", good.substr(0, 128),
            "expected an array of real numbers with 2 dimensions, found no arrays"),
      image("cut in a tag", good.substr(0, 132), "variable: expected a tag of 8 bytes, found 4"),
      image("cut in the values", good.substr(0, good.size() - 8),
            "variable: expected 104 more bytes, found 96 (the file is cut)"),
      image("an array longer than the file", mat_header() + little_endian(14, 4) + little_endian(0x7FFFFFF0, 4),
            "variable: expected 2147483632 more bytes, found 0 (the file is cut)"),
      image("a negative size", mat_header() + mat_array(6, -2, 3, values),
            "variable: expected sizes of at least 0, found -2"),
      image("a size of zero", mat_header() + mat_array(6, 0, 3, ""),
            "expected an array of real numbers with 2 dimensions, found meas (0×3 empty float64)"),
      image("sizes whose product is beyond 2^62", mat_header() + mat_array(6, 0x7FFFFFFF, 0x7FFFFFFF, values),
            "'meas': size: expected at most 67108864 bytes (the limit for reading), found 2147483647×2147483647 "
            "elements of 8 bytes"),
      image("more values than the sizes say", mat_header() + mat_array(6, 1, 3, values),
            "'meas': values: expected 24 bytes for 1×3 float64, found 48"),
      image("a cell", mat_header() + mat_array(1, 2, 3, ""),
            "expected an array of real numbers with 2 dimensions, found meas (2×3 cell)"),
      image("a struct", mat_header() + mat_array(2, 2, 3, ""),
            "expected an array of real numbers with 2 dimensions, found meas (2×3 struct)"),
      image("a function handle", mat_header() + mat_array(16, 2, 3, ""),
            "expected an array of real numbers with 2 dimensions, found meas (2×3 function)"),
      image("a sparse matrix", mat_header() + mat_array(5, 2, 3, values),
            "expected an array of real numbers with 2 dimensions, found meas (2×3 sparse)"),
      image("an unknown type of values", mat_header() + mat_array(6, 2, 3, values, 99),
            "'meas': variable: expected numbers, found an element of type 99 and 48 bytes"),
      image("garbage for a compressed stream", compressed(std::string(64, '\xff')), "expected a sound zlib stream"),
      image("a compressed stream that is cut", compressed(deflated(array).substr(0, 30)),
            "variable: expected 4 more bytes, found 1 (the file is cut or damaged)"),
      image("streams inside each other", compressed(deflated(little_endian(15, 4) + little_endian(8, 4) + zeros)),
            "variable: expected at most four bytes in a tag, found an element of type 40056 and 52204 bytes"),
      image("a stream of 8 MB from 8 kB, cut", compressed(zeros.substr(0, zeros.size() - 9)),
            "variable: expected 8000000 more bytes, found 7996194 (the file is cut or damaged)"),
      image("a name twice", good + array, "names: expected each once, found 'meas' twice"),
  };
}

inline BadFiles bad_envi() {
  const std::string good =
      "ENVI\nsamples = 3\nlines = 2\nbands = 4\nheader offset = 0\ndata type = 4\ninterleave = bsq\nbyte order = 0\n";
  const std::string data(96, '\0');
  const auto with = [&](const char* what, const std::string& key, const std::string& value, const char* verdict,
                        const std::string& raw) {
    std::string text = good;
    const std::size_t start = text.find(key + " = ");
    const std::size_t end = text.find('\n', start);
    text.replace(start, end - start, value.empty() ? "" : key + " = " + value);
    return BadFile{what, "x.hdr", text, ReadAs::cube, verdict, {{"x.raw", raw}}};
  };
  const auto plus = [&](const char* what, const std::string& line, const char* verdict) {
    return BadFile{what, "x.hdr", good + line + "\n", ReadAs::cube, verdict, {{"x.raw", data}}};
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  return {
      {"nothing", "x.hdr", "", ReadAs::cube, "first line: expected 'ENVI', found something else", {{"x.raw", data}}},
      {"no data beside it",
       "x.hdr",
       good,
       ReadAs::cube,
       "data file: expected one beside the header, with its name and no extension, .raw, .img, .dat, .bsq, .bil or "
       ".bip, found none",
       {}},
      with("no samples", "samples", "", "samples: expected an integer of at least 1, found no such line", data),
      with("a negative number of lines", "lines", "-2", "lines: expected an integer of at least 1, found '-2'", data),
      with("no bands", "bands", "0", "bands: expected an integer of at least 1, found '0'", data),
      with("sizes whose product overflows", "samples", "9223372036854775807",
           "size: expected at most 67108864 bytes (the limit for reading), found 4×2×9223372036854775807 elements of 4 "
           "bytes",
           data),
      with("more lines than the data has", "lines", "3", "size: expected 144 bytes, as its header says, found 96",
           data),
      with("fewer lines than the data has", "lines", "1", "size: expected 48 bytes, as its header says, found 96",
           data),
      with("an unknown type", "data type", "99", "data type: expected 1, 2, 3, 4, 5, 12, 13, 14 or 15, found 99", data),
      with("complex numbers", "data type", "6",
           "data type: expected 1, 2, 3, 4, 5, 12, 13, 14 or 15, found 6 (complex numbers)", data),
      with("an unknown order", "interleave", "bxq", "interleave: expected bsq, bil or bip, found 'bxq'", data),
      with("an offset behind the end", "header offset", "1000",
           "size: expected 1096 bytes, as its header says, found 96", data),
      with("a negative offset", "header offset", "-96", "header offset: expected an integer of at least 0, found '-96'",
           data),
      with("an unknown byte order", "byte order", "2", "byte order: expected 0 or 1, found 2", data),
      plus("two wavelengths for four bands", "wavelength = {450, 460}",
           "wavelength: expected 4 values, one a band, found 2"),
      plus("a list without an end", "wavelength = {450, 460",
           "wavelength: expected a closing brace, found the end of the header"),
      plus("compressed data", "file compression = 1",
           "file compression: expected 0 (compressed ENVI files are not read), found '1'"),
      plus("a key twice", "samples = 4", "samples: expected one such line, found several"),
      with("NaN", "lines", "2",
           "values: expected finite 32-bit floats, found 1 of 24 values that are not, the first (NaN) at row 0, column "
           "0, band 0",
           float_bytes({nan}) + std::string(92, '\0')),
  };
}

}  // namespace snapcube::testing
