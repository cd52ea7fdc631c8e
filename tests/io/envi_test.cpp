#include <cmath>
#include <fmt/format.h>

#include <snapcube/error.h>

#include "io/byte_order.h"
#include "io/damage.h"
#include "io/envi_header.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here
namespace fs = std::filesystem;

StoredArray load(const std::string& path) { return envi_format().load(path, "", {}); }
StoredArray load_data(const std::string& name) { return load(io_file(name)); }

const std::string kMinimal =
    "ENVI\nsamples = 2\nlines = 3\nbands = 1\ndata type = 1\ninterleave = bsq\nbyte order = 0\n";

TEST(Envi, ReadsWhatGdalWrites) {
  expect_pattern(load_data("gdal_bsq.hdr"), ElementType::u16, 3, 5, 7);
  expect_pattern(load_data("gdal_bil.hdr"), ElementType::f32, 3, 5, 7);
  expect_pattern(load_data("gdal_bip.raw.hdr"), ElementType::u8, 3, 5, 7);
  expect_pattern(load_data("gdal_one.hdr"), ElementType::i16, 1, 5, 7);
  expect_pattern(load_data("gdal_double.hdr"), ElementType::f64, 2, 5, 7);
  expect_pattern(load_data("gdal_long.hdr"), ElementType::i32, 2, 5, 7);
}

TEST(Envi, StatesTheLayoutOfTheFile) {
  const std::vector<std::int64_t> bsq{3, 5, 7};
  const std::vector<std::int64_t> bil{5, 3, 7};
  const std::vector<std::int64_t> bip{5, 7, 3};
  const std::vector<std::int64_t> one{5, 7};
  EXPECT_EQ(load_data("gdal_bsq.hdr").shape, bsq);
  EXPECT_EQ(load_data("gdal_bsq.hdr").layout, CubeLayout::bands_height_width);
  EXPECT_EQ(load_data("gdal_bil.hdr").shape, bil);
  EXPECT_EQ(load_data("gdal_bil.hdr").layout, CubeLayout::height_bands_width);
  EXPECT_EQ(load_data("gdal_bip.raw.hdr").shape, bip);
  EXPECT_EQ(load_data("gdal_bip.raw.hdr").layout, CubeLayout::height_width_bands);
  EXPECT_EQ(load_data("gdal_one.hdr").shape, one);
  EXPECT_EQ(envi_format().describe(io_file("gdal_bil.hdr"), {}).arrays[0].shape, bil);
  EXPECT_EQ(envi_format().describe(io_file("gdal_bil.hdr"), {}).arrays[0].type, "float32");
}

TEST(Envi, ReadsWhatSpectralPythonWrites) {
  const StoredArray big = load_data("spectral_big.hdr");
  expect_pattern(big, ElementType::u16, 3, 5, 7);
  const std::vector<double> wavelengths{453.5, 500, 648};
  EXPECT_EQ(big.wavelengths, wavelengths);
  EXPECT_FALSE(big.scale);
  // Micrometres, big-endian floats, divided by a scale factor of 131072.
  const StoredArray um = load_data("spectral_um.hdr");
  expect_pattern(um, ElementType::f32, 3, 5, 7);
  EXPECT_EQ(um.wavelengths, wavelengths);
  EXPECT_FALSE(um.scale);
  EXPECT_EQ(envi_format().describe(io_file("spectral_um.hdr"), {}).wavelengths, wavelengths);
}

template <typename T>
void check_type(int code, ElementType type) {
  for (const bool big : {false, true}) {
    TemporaryFolder folder;
    std::vector<std::byte> bytes(6 * sizeof(T));
    for (int i = 0; i < 6; ++i) {
      const T value = static_cast<T>(pattern(type, 0, i / 2, i % 2));
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    if (big != kNativeIsBigEndian) reverse_bytes(bytes, sizeof(T));
    const std::string padding = "seven b";
    write_file(folder / "x.dat", padding + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    write_file(folder / "x.hdr", fmt::format("ENVI\nsamples=2\nlines=3\nbands=1\nheader offset=7\ndata type={}\n"
                                             "byte order={}\n",
                                             code, big ? 1 : 0));
    expect_pattern(load(folder / "x.hdr"), type, 1, 3, 2);
  }
}

TEST(Envi, ReadsEveryTypeInBothByteOrdersAfterAnOffset) {
  check_type<std::uint8_t>(1, ElementType::u8);
  check_type<std::int16_t>(2, ElementType::i16);
  check_type<std::int32_t>(3, ElementType::i32);
  check_type<float>(4, ElementType::f32);
  check_type<double>(5, ElementType::f64);
  check_type<std::uint16_t>(12, ElementType::u16);
  check_type<std::uint32_t>(13, ElementType::u32);
  check_type<std::int64_t>(14, ElementType::i64);
  check_type<std::uint64_t>(15, ElementType::u64);
}

TEST(Envi, GrammarOfTheHeader) {
  const EnviHeader h = parse_envi_header(
      "ENVI\r\n; made by hand\r\ndescription = {\r\n two lines = of { text }\r\nSamples   =  "
      "2\r\n\r\nLINES=3\r\n"
      "bands = 4\r\nData  Type = 12\r\ninterleave = BiL\r\nbyte order = 1\r\n"
      "wavelength = {400,\r\n 410 , 420,\r\n430}\r\nwavelength units = nm\r\n",
      "x.hdr");
  EXPECT_EQ(h.samples, 2);
  EXPECT_EQ(h.lines, 3);
  EXPECT_EQ(h.bands, 4);
  EXPECT_EQ(h.offset, 0);
  EXPECT_EQ(h.type, ElementType::u16);
  EXPECT_EQ(h.interleave, EnviInterleave::bil);
  EXPECT_TRUE(h.big_endian);
  const std::vector<double> wavelengths{400, 410, 420, 430};
  EXPECT_EQ(h.wavelengths, wavelengths);
  EXPECT_FALSE(h.reflectance_scale);
}

TEST(Envi, UnitsOfWavelengthsThatAreNotStated) {
  LogCapture log;
  EXPECT_EQ(parse_envi_header(kMinimal + "wavelength = {0.5}\n", "x").wavelengths[0], 500);
  expect_contains(log.text(), "taken as micrometres");
  EXPECT_EQ(parse_envi_header(kMinimal + "wavelength = {500}\n", "x").wavelengths[0], 500);
  expect_contains(log.text(), "taken as nanometres");
  EXPECT_TRUE(parse_envi_header(kMinimal + "wavelength = {1}\nwavelength units = Index\n", "x").wavelengths.empty());
}

TEST(Envi, RefusesMicrometresThatBecomeNothingOrInfinite) {
  for (const std::string value : {"1e-12", "1e305"}) {
    const std::string text = kMinimal + "wavelength = {" + value + "}\nwavelength units = Micrometers\n";
    expect_contains(error_of<InputError>([&] { parse_envi_header(text, "x.hdr"); }),
                    "x.hdr: wavelength: expected micrometres that nanometres can express, found 1e");
  }
}

TEST(Envi, RefusesHeadersByField) {
  const auto with = [](std::string from, const std::string& to) {
    std::string text = kMinimal;
    text.replace(text.find(from), from.size(), to);
    return error_of<InputError>([&] { parse_envi_header(text, "x.hdr"); });
  };
  EXPECT_EQ(with("ENVI", "ENVY"), "x.hdr: first line: expected 'ENVI', found something else");
  EXPECT_EQ(with("samples = 2\n", ""), "x.hdr: samples: expected an integer of at least 1, found no such line");
  EXPECT_EQ(with("lines = 3", "lines = 3.5"), "x.hdr: lines: expected an integer of at least 1, found '3.5'");
  EXPECT_EQ(with("bands = 1", "bands = -1"), "x.hdr: bands: expected an integer of at least 1, found '-1'");
  EXPECT_EQ(with("data type = 1", "data type = 6"),
            "x.hdr: data type: expected 1, 2, 3, 4, 5, 12, 13, 14 or 15, found 6 (complex numbers)");
  EXPECT_EQ(with("= bsq", "= bxq"), "x.hdr: interleave: expected bsq, bil or bip, found 'bxq'");
  EXPECT_EQ(with("order = 0", "order = 2"), "x.hdr: byte order: expected 0 or 1, found 2");
  EXPECT_EQ(with("lines = 3", "lines = 3\nlines = 3"), "x.hdr: lines: expected one such line, found several");
  EXPECT_EQ(with("lines = 3", "lines 3"), "x.hdr: header: expected 'key = value' on every line, found 'lines 3'");
  EXPECT_EQ(with("lines = 3", "lines = 3\nwavelength = {1, 2}"),
            "x.hdr: wavelength: expected 1 values, one a band, found 2");
  EXPECT_EQ(with("lines = 3", "lines = 3\nwavelength = {nan}"),
            "x.hdr: wavelength: expected a number above 0, found 'nan'");
  EXPECT_EQ(with("lines = 3", "lines = 3\nwavelength = {1, 2"),
            "x.hdr: wavelength: expected a closing brace, found the end of the header");
  EXPECT_EQ(with("lines = 3", "lines = 3\nfile compression = 1"),
            "x.hdr: file compression: expected 0 (compressed ENVI files are not read), found '1'");
  EXPECT_EQ(with("lines = 3", "lines = 3\nreflectance scale factor = 0"),
            "x.hdr: reflectance scale factor: expected a number above 0, found '0'");
  EXPECT_EQ(with("lines = 3", "lines = 3\nheader offset = -4"),
            "x.hdr: header offset: expected an integer of at least 0, found '-4'");
}

TEST(Envi, DataFileMustFit) {
  TemporaryFolder folder;
  const std::string path = folder / "x.hdr";
  write_file(path, kMinimal);
  expect_contains(error_of<InputError>([&] { load(path); }), "data file: expected one beside");
  for (const char* content : {"", "12345", "1234567"}) {
    write_file(folder / "x.raw", content);
    EXPECT_EQ(error_of<InputError>([&] { load(path); }),
              fmt::format("{}: size: expected 6 bytes, as its header says, found {}", folder / "x.raw",
                          std::string(content).size()));
  }
  write_file(folder / "x.raw", "123456");
  EXPECT_EQ(element(load(path), 0), '1');
  // A second file that does not fit is none of ours; one that fits makes it ambiguous.
  write_file(folder / "x.dat", "other");
  EXPECT_EQ(element(load(path), 5), '6');
  write_file(folder / "x.dat", "654321");
  EXPECT_EQ(error_of<InputError>([&] { load(path); }),
            path + ": data file: expected one of 6 bytes beside the header, found x.raw, x.dat");
}

TEST(Envi, AbsurdSizesAllocateNothing) {
  TemporaryFolder folder;
  write_file(folder / "x.raw", "123456");
  for (const char* size : {"9223372036854775807", "4294967296", "100000000000"}) {
    write_file(folder / "x.hdr", fmt::format("ENVI\nsamples={0}\nlines={0}\nbands={0}\ndata type=5\n"
                                             "interleave=bip\nbyte order=0\n",
                                             size));
    EXPECT_THROW(load(folder / "x.hdr"), InputError);
  }
  write_file(folder / "x.hdr", kMinimal + "header offset = 9223372036854775807\n");
  EXPECT_THROW(load(folder / "x.hdr"), InputError);
  ReadOptions small;
  small.max_bytes = 100;
  EXPECT_THROW(envi_format().load(io_file("gdal_bsq.hdr"), "", small), InputError);
}

TEST(Envi, ReflectanceScaleOfIntegers) {
  TemporaryFolder folder;
  write_file(folder / "x.raw", "123456");
  write_file(folder / "x.hdr", kMinimal + "reflectance scale factor = 100\n");
  EXPECT_DOUBLE_EQ(load(folder / "x.hdr").scale.value(), 2.55);
}

TEST(Envi, RoundTrips) {
  Cube cube = random_cube(3, 5, 7, 1);
  cube(2, 4, 6) = 3.5f;  // integers need a scale
  cube.wavelengths = {453.5, 457.123456789, 648};
  const auto read_back = [&](SampleType type, EnviInterleave interleave) {
    TemporaryFolder folder;
    SaveRequest request = request_of(cube, type);
    request.options.interleave = interleave;
    envi_format().save(request, folder / "c.hdr");
    EXPECT_TRUE(fs::exists(folder / "c.raw"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
    StoredArray array = load(folder / "c.hdr");
    EXPECT_EQ(array.wavelengths, cube.wavelengths);
    return array;
  };
  for (const auto interleave : {EnviInterleave::bsq, EnviInterleave::bil, EnviInterleave::bip}) {
    for (const SampleType type : {SampleType::automatic, SampleType::f32, SampleType::f64}) {
      const StoredArray array = read_back(type, interleave);
      EXPECT_EQ(array.type == ElementType::f64, type == SampleType::f64);
      expect_values(array, 3, 5, 7, [&](auto b, auto y, auto x) { return cube(int(b), int(y), int(x)); });
    }
    for (const double largest : {255.0, 65535.0}) {
      const StoredArray array = read_back(largest == 255 ? SampleType::u8 : SampleType::u16, interleave);
      EXPECT_DOUBLE_EQ(array.scale.value(), 3.5);
      expect_values(array, 3, 5, 7,
                    [&](auto b, auto y, auto x) { return quantised(cube(int(b), int(y), int(x)), 3.5, largest); });
    }
  }
}

TEST(Envi, WritesAnImageAsOneBand) {
  TemporaryFolder folder;
  const Image image = random_image(13, 1, 2);
  envi_format().save(request_of(image, SampleType::automatic), folder / "m.hdr");
  const std::vector<std::int64_t> shape{13, 1};
  EXPECT_EQ(load(folder / "m.hdr").shape, shape);
}

TEST(Envi, WritingReplacesTheOldPairAndNothingElse) {
  TemporaryFolder folder;
  const Image image = random_image(3, 2, 3);
  const SaveRequest request = request_of(image, SampleType::u8);
  // Someone else's pair keeps the name of its data file.
  write_file(folder / "x.hdr", kMinimal);
  write_file(folder / "x.img", "123456");
  envi_format().save(request, folder / "x.hdr");
  EXPECT_FALSE(fs::exists(folder / "x.raw"));
  EXPECT_EQ(element(load(folder / "x.hdr"), 0), quantised(image(0, 0), 1, 255));
  // A lone file that would be taken for the values stays.
  write_file(folder / "y.dat", "notes");
  expect_contains(error_of<Error>([&] { envi_format().save(request, folder / "y.hdr"); }), "y.dat");
  EXPECT_EQ(file_content(folder / "y.dat"), "notes");
  EXPECT_FALSE(fs::exists(folder / "y.hdr"));
}

TEST(Envi, WritingRefusesOtherNamesAndMissingFolders) {
  TemporaryFolder folder;
  const Image image = random_image(3, 2, 3);
  const SaveRequest request = request_of(image, SampleType::f32);
  EXPECT_THROW(envi_format().save(request, folder / "x.raw"), InputError);
  EXPECT_THROW(envi_format().save(request, folder / "no/x.hdr"), Error);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Envi, SurvivesTruncationAndDamage) {
  TemporaryFolder folder;
  LogCapture quiet;
  const std::string raw = file_content(io_file("spectral_big.raw"));
  write_file(folder / "x.img", raw);
  const std::string header = file_content(io_file("spectral_big.hdr"));
  EXPECT_GT(load_every_truncation(envi_format(), folder / "x.hdr", header, folder / "x.hdr"), 100u);
  load_every_change(envi_format(), folder / "x.hdr", header, folder / "x.hdr");
  write_file(folder / "x.hdr", header);
  EXPECT_EQ(load_every_truncation(envi_format(), folder / "x.img", raw, folder / "x.hdr"), raw.size());
}

}  // namespace
}  // namespace snapcube
