#include "io/png.h"

#include <cmath>

#include <snapcube/render.h>

#include "io/image_pattern.h"

namespace snapcube {
namespace {

using namespace testing;
namespace fs = std::filesystem;

StoredArray load(const std::string& path) { return png_format().load(path, "", {}); }
StoredArray load_data(const std::string& name) { return load(data_file("io/" + name)); }

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
    EXPECT_NE(error_of<InputError>([&] {
                load_data(name);
              }).find("colour: expected a grey picture (red, green and blue equal), found the colour ("),
              std::string::npos);
  }
}

TEST(Png, LeavesAlphaOut) {
  LogCapture log;
  expect_pattern(load_data("grey_alpha.png"), ElementType::u8, 1, 13, 17);
  EXPECT_TRUE(log.contains("transparency is left out"));
}

TEST(Png, Describes) {
  const FileInfo info = png_format().describe(data_file("io/grey16.png"), {});
  const std::vector<std::int64_t> shape{13, 17};
  EXPECT_EQ(info.format, "PNG");
  ASSERT_EQ(info.arrays.size(), 1u);
  EXPECT_EQ(info.arrays[0].shape, shape);
  EXPECT_EQ(info.arrays[0].type, "uint16");
  EXPECT_EQ(png_format().describe(data_file("io/grey1.png"), {}).arrays[0].type, "logical");
}

TEST(Png, RoundTripsWithItsScale) {
  Image image = random_image(13, 127, 1);
  for (const float top : {0.5f, 27.25f}) {
    image(12, 126) = top;
    const double scale = std::max(1.0f, top);
    for (const SampleType type : {SampleType::automatic, SampleType::u16, SampleType::u8}) {
      TemporaryFolder folder;
      png_format().save(image_request(image, type), folder / "m.png");
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
  EXPECT_NE(error_of<InputError>([&] {
              png_format().save(cube_request(cube, SampleType::u8), folder / "c.png");
            }).find("a folder of PNGs, a .tif"),
            std::string::npos);
  EXPECT_THROW(png_format().save(image_request(image, SampleType::f32), folder / "m.png"), InputError);
  EXPECT_THROW(png_format().save(image_request(image, SampleType::u8), folder / "no/m.png"), Error);
  EXPECT_TRUE(folder.is_empty());
}

TEST(Png, AbsurdSizesAllocateNothing) {
  TemporaryFolder folder;
  const auto message = [&](std::uint32_t width, std::uint32_t height) {
    std::string content = file_content(data_file("io/grey8.png"));
    put32(content, 16, width);
    put32(content, 20, height);
    seal_header(content);
    write_content(folder / "x.png", content);
    return error_of<InputError>([&] { load(folder / "x.png"); });
  };
  EXPECT_NE(message(0x7fffffff, 0x7fffffff).find("libpng refuses"), std::string::npos);
  EXPECT_NE(message(900'000, 900'000).find("size"), std::string::npos);
  EXPECT_NE(message(20'000, 20'000).find("size: expected a file long enough for 20000×20000"), std::string::npos);
  EXPECT_NE(message(0, 5).find("libpng refuses"), std::string::npos);
  EXPECT_NE(message(17, 14).find("libpng refuses"), std::string::npos);  // one row is missing
  ReadOptions small;
  small.max_bytes = 13 * 17 * 4 - 1;
  EXPECT_THROW(png_format().describe(data_file("io/grey8.png"), small), InputError);
}

TEST(Png, RefusesABadScale) {
  TemporaryFolder folder;
  for (const char* scale : {"0", "-1", "nan", "inf", "", "1x"}) {
    const std::vector<std::byte> pixels(20);
    const PngText text{"snapcube:scale", scale};
    write_png_file({pixels.data(), 4, 5, 1, 8}, {&text, 1}, folder / "x.png", "x.png");
    EXPECT_NE(
        error_of<InputError>([&] { load(folder / "x.png"); }).find("text snapcube:scale: expected a number above 0"),
        std::string::npos);
  }
}

class PngDamage : public ::testing::TestWithParam<const char*> {};

TEST_P(PngDamage, IsAnErrorAndNoCrash) {
  TemporaryFolder folder;
  LogCapture quiet;
  const std::string content = file_content(data_file(std::string("io/") + GetParam()));
  const std::string path = folder / "x.png";
  EXPECT_EQ(load_every_truncation(png_format(), path, content, path), content.size());
  load_every_damage(png_format(), path, content, path);
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
  const std::string content = file_content(data_file("io/grey8.png"));
  for (std::size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write_content(folder / "x.png", damaged);
    EXPECT_THROW(load(folder / "x.png"), InputError) << i;
  }
}

TEST(WritePng, WritesAPicture) {
  TemporaryFolder folder;
  Picture picture(5, 7);
  for (std::size_t i = 0; i < picture.rgb.size(); ++i) picture.rgb[i] = static_cast<std::uint8_t>(i / 3 * 7);
  write_png(picture, folder / "p.png");
  expect_values(load(folder / "p.png"), 1, 5, 7, [](auto, auto y, auto x) { return (y * 7 + x) * 7 % 256; });
  picture.rgb[4] = 250;
  write_png(picture, folder / "p.png");
  EXPECT_NE(error_of<InputError>([&] { load(folder / "p.png"); }).find("the colour (7, 250, 7)"), std::string::npos);
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
