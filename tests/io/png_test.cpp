#include "io/png.h"

#include <cmath>

#include <snapcube/error.h>
#include <snapcube/render.h>

#include "io/damage.h"
#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here
namespace fs = std::filesystem;

StoredArray load(const std::string& path) { return png_format().load(path, "", {}); }
StoredArray load_data(const std::string& name) { return load(io_file(name)); }

void put32(std::string& content, std::size_t at, std::uint32_t value) {
  for (int i = 0; i < 4; ++i) content[at + i] = static_cast<char>(value >> (24 - 8 * i));
}

/// Makes the CRC of the header chunk right again: CRC-32, bit by bit.
void seal_header(std::string& content) {
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 12; i < 29; ++i) {
    crc ^= static_cast<unsigned char>(content[i]);
    for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320u : 0);
  }
  put32(content, 29, ~crc);
}

TEST(Png, ReadsGreyOfEveryDepth) {
  expect_pattern(load_data("grey8.png"), ElementType::u8, 1, 13, 17);
  expect_pattern(load_data("grey16.png"), ElementType::u16, 1, 13, 17);
  const auto small = [](auto y, auto x) { return static_cast<int>(pattern(ElementType::u8, 0, y, x)); };
  expect_values(load_data("grey2.png"), 1, 13, 17, [&](auto, auto y, auto x) { return small(y, x) % 4 * 85; });
  expect_values(load_data("grey4.png"), 1, 13, 17, [&](auto, auto y, auto x) { return small(y, x) % 16 * 17; });
  const StoredArray bits = load_data("grey1.png");
  EXPECT_TRUE(bits.logical);
  expect_values(bits, 1, 13, 17, [](auto, auto y, auto x) { return bit_pattern(y, x); });
  EXPECT_FALSE(load_data("grey8.png").logical);
  EXPECT_FALSE(load_data("grey8.png").scale);
}

TEST(Png, ReadsInterlacedFiles) {
  expect_pattern(load_data("interlaced8.png"), ElementType::u8, 1, 13, 17);
  expect_pattern(load_data("interlaced16.png"), ElementType::u16, 1, 13, 17);
  expect_values(load_data("interlaced1.png"), 1, 13, 17, [](auto, auto y, auto x) { return bit_pattern(y, x); });
}

TEST(Png, TakesColourFilesThatAreGrey) {
  expect_pattern(load_data("rgb_grey.png"), ElementType::u8, 1, 13, 17);
  expect_pattern(load_data("palette_grey.png"), ElementType::u8, 1, 13, 17);
  for (const char* name : {"rgb_colour.png", "palette_colour.png"}) {
    expect_contains(error_of<InputError>([&] { load_data(name); }),
                    "colour: expected a grey picture (red, green and blue equal), found the colour (");
  }
}

TEST(Png, LeavesAlphaOut) {
  LogCapture log;
  expect_pattern(load_data("grey_alpha.png"), ElementType::u8, 1, 13, 17);
  expect_contains(log.text(), "transparency is left out");
}

TEST(Png, Describes) {
  const FileInfo info = png_format().describe(io_file("grey16.png"), {});
  const std::vector<std::int64_t> shape{13, 17};
  EXPECT_EQ(info.format, "PNG");
  ASSERT_EQ(info.arrays.size(), 1u);
  EXPECT_EQ(info.arrays[0].shape, shape);
  EXPECT_EQ(info.arrays[0].type, "uint16");
  EXPECT_EQ(png_format().describe(io_file("grey1.png"), {}).arrays[0].type, "logical");
}

TEST(Png, RoundTripsWithItsScale) {
  Image image = random_image(13, 127, 1);
  for (const float top : {0.5f, 27.25f}) {
    image(12, 126) = top;
    const double scale = std::max(1.0f, top);
    for (const SampleType type : {SampleType::automatic, SampleType::u16, SampleType::u8}) {
      TemporaryFolder folder;
      png_format().save(request_of(image, type), folder / "m.png");
      const StoredArray array = load(folder / "m.png");
      EXPECT_EQ(array.type, type == SampleType::u8 ? ElementType::u8 : ElementType::u16);
      EXPECT_EQ(array.scale.value(), scale);
      expect_values(array, 1, 13, 127, [&](auto, auto y, auto x) {
        return quantised(image(int(y), int(x)), scale, type == SampleType::u8 ? 255 : 65535);
      });
    }
  }
}

TEST(Png, RefusesToWriteCubesAndFloats) {
  TemporaryFolder folder;
  const Cube cube = random_cube(3, 4, 5, 1);
  const Image image = random_image(4, 5, 1);
  expect_contains(error_of<InputError>([&] { png_format().save(request_of(cube, SampleType::u8), folder / "c.png"); }),
                  "a folder of PNGs, a .tif");
  EXPECT_THROW(png_format().save(request_of(image, SampleType::f32), folder / "m.png"), InputError);
  EXPECT_THROW(png_format().save(request_of(image, SampleType::u8), folder / "no/m.png"), Error);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Png, AbsurdSizesAllocateNothing) {
  TemporaryFolder folder;
  const auto message = [&](std::uint32_t width, std::uint32_t height) {
    std::string content = file_content(io_file("grey8.png"));
    put32(content, 16, width);
    put32(content, 20, height);
    seal_header(content);
    write_file(folder / "x.png", content);
    return error_of<InputError>([&] { load(folder / "x.png"); });
  };
  expect_contains(message(0x7fffffff, 0x7fffffff), "libpng refuses");
  expect_contains(message(900'000, 900'000), "size");
  expect_contains(message(20'000, 20'000), "size: expected a file long enough for 20000×20000");
  expect_contains(message(0, 5), "libpng refuses");
  expect_contains(message(17, 14), "libpng refuses");  // one row is missing
  ReadOptions small;
  small.max_bytes = 13 * 17 * 4 - 1;
  EXPECT_THROW(png_format().describe(io_file("grey8.png"), small), InputError);
}

TEST(Png, RefusesAChunkThatClaimsMoreThanTheFile) {
  TemporaryFolder folder;
  std::string content = file_content(io_file("grey8.png"));
  put32(content, 33, 0x66000021);  // the length of the first chunk after the header
  write_file(folder / "x.png", content);
  expect_contains(error_of<InputError>([&] { load(folder / "x.png"); }),
                  "a complete PNG file, found one that ends inside a chunk of 1711276065 bytes");
}

TEST(Png, RefusesABadScale) {
  TemporaryFolder folder;
  for (const char* scale : {"0", "-1", "nan", "inf", "", "1x"}) {
    const std::vector<std::byte> pixels(20);
    const PngText text{"snapcube:scale", scale};
    write_png_file({pixels.data(), 4, 5, 1, 8}, {&text, 1}, folder / "x.png", "x.png");
    expect_contains(error_of<InputError>([&] { load(folder / "x.png"); }),
                    "text snapcube:scale: expected a number above 0");
  }
}

class PngDamage : public ::testing::TestWithParam<const char*> {};

TEST_P(PngDamage, IsAnErrorAndNoCrash) {
  TemporaryFolder folder;
  LogCapture quiet;
  const std::string content = file_content(io_file(GetParam()));
  const std::string path = folder / "x.png";
  EXPECT_EQ(load_every_truncation(png_format(), path, content, path), content.size());
  load_every_change(png_format(), path, content, path);
}

INSTANTIATE_TEST_SUITE_P(Files, PngDamage,
                         ::testing::Values("grey16.png", "interlaced1.png", "interlaced8.png", "palette_grey.png",
                                           "rgb_grey.png"),
                         [](const auto& param) {
                           const std::string name = param.param;
                           return name.substr(0, name.find('.'));
                         });

TEST(Png, EveryChangedBitIsNoticed) {
  TemporaryFolder folder;
  const std::string content = file_content(io_file("grey8.png"));
  const auto read = [&](const std::string& damaged) {
    write_file(folder / "x.png", damaged);
    load(folder / "x.png");
  };
  EXPECT_EQ(refused_changes(content, read, {0x10}), content.size());
}

TEST(WritePng, WritesAPicture) {
  TemporaryFolder folder;
  Picture picture(5, 7);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = static_cast<std::uint8_t>(i / 3 * 7);
  write_png(picture, folder / "p.png");
  expect_values(load(folder / "p.png"), 1, 5, 7, [](auto, auto y, auto x) { return (y * 7 + x) * 7 % 256; });
  picture.rgb[4] = 250;
  write_png(picture, folder / "p.png");
  expect_contains(error_of<InputError>([&] { load(folder / "p.png"); }), "the colour (7, 250, 7)");
}

TEST(WritePng, RefusesWhatIsNoPicture) {
  TemporaryFolder folder;
  EXPECT_THROW(write_png(Picture{}, folder / "p.png"), InputError);
  Picture short_one(2, 2);
  short_one.rgb.pop_back();
  EXPECT_THROW(write_png(short_one, folder / "p.png"), InputError);
  EXPECT_THROW(write_png(Picture(2, 2), folder / "no/p.png"), Error);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace snapcube
