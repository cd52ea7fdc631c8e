#include <cmath>
#include <fmt/format.h>
#include <tiffio.h>

#include <snapcube/error.h>

#include "io/damage.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here
namespace fs = std::filesystem;

StoredArray load(const std::string& path) { return tiff_format().load(path, "", {}); }
StoredArray load_data(const std::string& name) { return load(io_file(name)); }
std::string refusal(const std::string& name) {
  return error_of<InputError>([&] { load_data(name); });
}

TEST(Tiff, ReadsImageJStacks) {
  const StoredArray stack = load_data("imagej.tif");
  expect_pattern(stack, ElementType::u16, 4, 19, 21);
  EXPECT_EQ(stack.layout, CubeLayout::bands_height_width);
  const std::vector<std::int64_t> shape{4, 19, 21};
  EXPECT_EQ(stack.shape, shape);
  // One page for all planes, as ImageJ does beyond 4 GB.
  expect_pattern(load_data("imagej_one_page.tif"), ElementType::u16, 4, 19, 21);
  EXPECT_EQ(tiff_format().describe(io_file("imagej_one_page.tif"), {}).arrays[0].shape, shape);
  expect_pattern(load_data("imagej_float.tif"), ElementType::f32, 4, 19, 21);
}

TEST(Tiff, ReadsWhatTifffileWrites) {
  expect_pattern(load_data("shaped_one_page.tif"), ElementType::u16, 4, 19, 21);
  expect_pattern(load_data("planar_tiled.tif"), ElementType::f64, 3, 19, 21);
  expect_pattern(load_data("contig_big_endian.tif"), ElementType::u16, 4, 19, 21);
  expect_pattern(load_data("bigtiff_signed.tif"), ElementType::i32, 3, 19, 21);
  EXPECT_EQ(load_data("half.tif").type, ElementType::f16);
  EXPECT_EQ(load_data("half.tif").bytes.size(), 2u * 2 * 19 * 21);
}

TEST(Tiff, ReadsWhatGdalWrites) {
  expect_pattern(load_data("gdal_lzw.tif"), ElementType::u16, 4, 19, 21);
  expect_pattern(load_data("gdal_float.tif"), ElementType::f32, 4, 19, 21);
  expect_pattern(load_data("gdal_zstd.tif"), ElementType::u8, 5, 19, 21);
  // The overview, a page of reduced size, is no band.
  expect_pattern(load_data("gdal_overview.tif"), ElementType::u16, 1, 38, 42);
  // A grey JPEG in YCbCr: 100 survives the compression but for rounding.
  const StoredArray jpeg = load_data("gdal_jpeg.tif");
  ASSERT_EQ(jpeg.bytes.size(), 3u * 16 * 16);
  for (std::size_t i = 0; i < jpeg.bytes.size(); ++i) EXPECT_NEAR(element(jpeg, i), 100, 2);
}

TEST(Tiff, ReadsWhatPillowWrites) {
  expect_pattern(load_data("pil_pages.tif"), ElementType::u8, 3, 19, 21);
  expect_pattern(load_data("pil_float.tif"), ElementType::f32, 1, 19, 21);
  const StoredArray mask = load_data("pil_mask.tif");
  EXPECT_TRUE(mask.logical);
  expect_values(mask, 1, 19, 21, [](auto, auto y, auto x) { return bit_pattern(y, x); });
  EXPECT_EQ(tiff_format().describe(io_file("pil_mask.tif"), {}).arrays[0].type, "logical");
  LogCapture log;
  expect_pattern(load_data("pil_rgba.tif"), ElementType::u8, 3, 19, 21);
  expect_contains(log.text(), "transparency is left out");
}

TEST(Tiff, WhiteIsZeroIsInverted) { expect_pattern(load_data("white_is_zero.tif"), ElementType::u16, 1, 19, 21); }

TEST(Tiff, RefusesByName) {
  expect_contains(refusal("pil_palette.tif"), "colour space: expected grey, RGB or plain bands, found a palette");
  expect_contains(refusal("pil_differing.tif"),
                  "page 2: expected 19×21, 1 sample of uint8, as on page 1, found 8×9, 1 "
                  "sample of uint8");
  EXPECT_THROW(load("/nowhere/x.tif"), InputError);
  EXPECT_THROW(load(io_file("")), InputError);
  EXPECT_THROW(load_data("grey8.png"), InputError);
}

TEST(Tiff, SizesAreCheckedFirst) {
  ReadOptions small;
  small.max_bytes = 2 * 4 * 19 * 21 - 1;
  EXPECT_THROW(tiff_format().load(io_file("imagej.tif"), "", small), InputError);
  EXPECT_THROW(tiff_format().describe(io_file("imagej.tif"), small), InputError);
  // A description that promises more planes than the file holds.
  TemporaryFolder folder;
  std::string content = file_content(io_file("imagej_one_page.tif"));
  content.replace(content.find("images=4"), 8, "images=9");
  write_file(folder / "x.tif", content);
  expect_contains(error_of<InputError>([&] { load(folder / "x.tif"); }),
                  "size: expected a file long enough for 9 pages");
}

/// A page of the given tags whose values are missing.
std::string lying_file(const std::string& path, std::uint32_t height, std::uint32_t width, std::uint16_t compression,
                       std::uint32_t tile = 0) {
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
  if (tile > 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile);
    TIFFWriteCheck(tiff, 1, "test");
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, height);
    TIFFWriteCheck(tiff, 0, "test");
  }
  TIFFWriteDirectory(tiff);
  TIFFClose(tiff);
  return path;
}

TEST(Tiff, FilesThatLieAboutTheirSize) {
  TemporaryFolder folder;
  const auto message = [](const std::string& path) { return error_of<InputError>([&] { load(path); }); };
  expect_contains(message(lying_file(folder / "a.tif", 50000, 50000, COMPRESSION_NONE)), "long enough");
  expect_contains(message(lying_file(folder / "b.tif", 50000, 50000, COMPRESSION_ADOBE_DEFLATE)), "long enough");
  expect_contains(message(lying_file(folder / "c.tif", 1'000'000'000u, 1'000'000'000u, COMPRESSION_ADOBE_DEFLATE)),
                  "size");
  expect_contains(message(lying_file(folder / "d.tif", 4, 4, COMPRESSION_NONE, 16384)), "tile size");
}

TEST(Tiff, RoundTrips) {
  Cube cube = random_cube(3, 13, 17, 1);
  cube(2, 12, 16) = 3.5f;
  cube.wavelengths = {453.5, 457.123456789, 648};
  const auto read_back = [&](SampleType type) {
    TemporaryFolder folder;
    tiff_format().save(request_of(cube, type), folder / "c.tif");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
    EXPECT_EQ(tiff_format().describe(folder / "c.tif", {}).wavelengths, cube.wavelengths);
    StoredArray array = load(folder / "c.tif");
    EXPECT_EQ(array.wavelengths, cube.wavelengths);
    return array;
  };
  for (const SampleType type : {SampleType::automatic, SampleType::f32, SampleType::f64}) {
    const StoredArray array = read_back(type);
    EXPECT_EQ(array.type == ElementType::f64, type == SampleType::f64);
    EXPECT_FALSE(array.scale);
    expect_values(array, 3, 13, 17, [&](auto b, auto y, auto x) { return cube(int(b), int(y), int(x)); });
  }
  for (const double largest : {255.0, 65535.0}) {
    const StoredArray array = read_back(largest == 255 ? SampleType::u8 : SampleType::u16);
    EXPECT_EQ(array.scale.value(), 3.5);
    expect_values(array, 3, 13, 17,
                  [&](auto b, auto y, auto x) { return quantised(cube(int(b), int(y), int(x)), 3.5, largest); });
  }
}

TEST(Tiff, WritesAnImage) {
  TemporaryFolder folder;
  const Image image = random_image(1, 127, 2);
  tiff_format().save(request_of(image, SampleType::u16), folder / "m.tiff");
  const StoredArray array = load(folder / "m.tiff");
  const std::vector<std::int64_t> shape{1, 127};
  EXPECT_EQ(array.shape, shape);
  EXPECT_EQ(array.scale.value(), 1);
  expect_values(array, 1, 1, 127, [&](auto, auto, auto x) { return quantised(image(0, int(x)), 1, 65535); });
}

TEST(Tiff, LeavesNothingBehindWhenItCannotWrite) {
  TemporaryFolder folder;
  const Image image = random_image(3, 2, 3);
  const SaveRequest request = request_of(image, SampleType::f32);
  EXPECT_THROW(tiff_format().save(request, folder / "no/x.tif"), Error);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Tiff, RefusesAWavelengthListOfTheWrongLength) {
  TemporaryFolder folder;
  Cube cube = random_cube(3, 4, 5, 1);
  cube.wavelengths = {500, 510};
  tiff_format().save(request_of(cube, SampleType::f32), folder / "c.tif");
  expect_contains(error_of<InputError>([&] { load(folder / "c.tif"); }),
                  "snapcube.wavelengths: expected 3 values, found 2");
}

class TiffDamage : public ::testing::TestWithParam<const char*> {};

TEST_P(TiffDamage, IsAnErrorAndNoCrash) {
  TemporaryFolder folder;
  LogCapture quiet;
  const std::string content = file_content(io_file(GetParam()));
  const std::string path = folder / "x.tif";
  EXPECT_GT(load_every_truncation(tiff_format(), path, content, path), content.size() / 2);
  load_every_change(tiff_format(), path, content, path);
}

INSTANTIATE_TEST_SUITE_P(Files, TiffDamage,
                         ::testing::Values("gdal_lzw.tif", "gdal_float.tif", "gdal_zstd.tif", "gdal_jpeg.tif",
                                           "pil_pages.tif", "pil_mask.tif", "white_is_zero.tif"),
                         [](const auto& param) {
                           const std::string name = param.param;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace snapcube
