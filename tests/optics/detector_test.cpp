#include <snapcube/detector.h>
#include <snapcube/error.h>

#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::TemporaryFolder;

TEST(Prepare, BlackDarkFlatAndFullScale) {
  const Image counts(2, 3, 600.0f);
  PreparedFrame frame;
  prepare(counts, {}, "shot", frame);
  EXPECT_EQ(frame.values(1, 2), 600);
  EXPECT_TRUE(frame.weights.empty());

  Detector d;
  d.black_level = 100;
  d.saturation = 1100;
  prepare(counts, d, "shot", frame);
  EXPECT_FLOAT_EQ(frame.values(0, 0), 0.5f);

  d.dark = Image(2, 3, 100.0f);
  d.dark(0, 0) = 200;
  d.dark(0, 1) = 0;
  d.flat = Image(2, 3, 1.0f);
  d.flat(0, 1) = 0.5f;
  prepare(counts, d, "shot", frame);
  EXPECT_FLOAT_EQ(frame.values(0, 0), 0.4f);
  EXPECT_FLOAT_EQ(frame.values(0, 1), 1.2f);
  EXPECT_FLOAT_EQ(frame.values(1, 0), 0.5f);
}

TEST(Prepare, BadAndSaturatedPixelsHaveNoWeight) {
  Image counts(4, 4, 10.0f);
  counts(0, 0) = 255;
  Detector d;
  d.saturation = 255;
  d.bad = Image(4, 4);
  d.bad(3, 3) = 1;
  PreparedFrame frame;
  prepare(counts, d, "shot", frame);
  EXPECT_EQ(frame.saturated, 1);
  EXPECT_EQ(frame.bad, 1);
  EXPECT_EQ(frame.weights(0, 0), 0);
  EXPECT_EQ(frame.values(0, 0), 0);
  EXPECT_EQ(frame.weights(3, 3), 0);
  EXPECT_EQ(frame.weights(1, 1), 1);

  // Of four pixels in a bin three are known: their mean, with three quarters of the weight.
  d.binning = 2;
  prepare(counts, d, "shot", frame);
  ASSERT_EQ(frame.values.width(), 2);
  EXPECT_FLOAT_EQ(frame.values(0, 0), 10.0f / 255);
  EXPECT_FLOAT_EQ(frame.weights(0, 0), 0.75f);
  EXPECT_FLOAT_EQ(frame.weights(0, 1), 1);
}

TEST(Prepare, RegionThenBinningThenFlips) {
  Image counts(5, 7);
  for (int y = 0; y < 5; ++y) {
    for (int x = 0; x < 7; ++x) counts(y, x) = static_cast<float>(10 * y + x);
  }
  Detector d;
  d.region = Region{1, 2, 4, 5};
  d.binning = 2;
  d.flip_rows = true;
  PreparedFrame frame;
  prepare(counts, d, "shot", frame);
  ASSERT_EQ(frame.values.height(), 2);
  ASSERT_EQ(frame.values.width(), 2);  // what does not fill a bin is left out
  EXPECT_FLOAT_EQ(frame.values(1, 0), (12 + 13 + 22 + 23) / 4.0f);
  EXPECT_FLOAT_EQ(frame.values(0, 1), (34 + 35 + 44 + 45) / 4.0f);
  d.flip_columns = true;
  prepare(counts, d, "shot", frame);
  EXPECT_FLOAT_EQ(frame.values(1, 1), (12 + 13 + 22 + 23) / 4.0f);
}

/// 1 2 3
/// 4 5 6
TEST(Prepare, TurnsClockwiseAfterTheFlips) {
  Image counts(2, 3);
  for (std::size_t i = 0; i < 6; ++i) counts.data()[i] = static_cast<float>(i + 1);
  const auto turned = [&](int quarters, bool flip_rows) {
    Detector d;
    d.quarter_turns = quarters;
    d.flip_rows = flip_rows;
    d.bad = Image(2, 3);
    d.bad(0, 0) = 1;  // the weights turn, too
    PreparedFrame frame;
    prepare(counts, d, "shot", frame);
    EXPECT_EQ(frame.weights.height(), frame.values.height());
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(frame.weights.data()[i] == 0, frame.values.data()[i] == 0) << "at the bad pixel alone";
    }
    return std::pair(frame.values.height(), std::vector<float>(frame.values.data(), frame.values.data() + 6));
  };
  EXPECT_EQ(turned(0, false), std::pair(2, std::vector<float>{0, 2, 3, 4, 5, 6}));
  EXPECT_EQ(turned(1, false), std::pair(3, std::vector<float>{4, 0, 5, 2, 6, 3}));
  EXPECT_EQ(turned(2, false), std::pair(2, std::vector<float>{6, 5, 4, 3, 2, 0}));
  EXPECT_EQ(turned(3, false), std::pair(3, std::vector<float>{3, 6, 2, 5, 0, 4}));
  EXPECT_EQ(turned(1, true), std::pair(3, std::vector<float>{0, 4, 2, 5, 3, 6}));
}

TEST(Prepare, ErrorsNameTheField) {
  const Image counts(4, 5, 9.0f);
  PreparedFrame frame;
  const auto error = [&](const Detector& d) {
    return error_of<InputError>([&] { prepare(counts, d, "shot.tif", frame); });
  };
  Detector d;
  d.dark = Image(4, 4);
  EXPECT_EQ(error(d), "shot.tif: dark frame: expected 4×5, the frame's size, found 4×4");
  d = {};
  d.region = Region{0, 0, 5, 5};
  EXPECT_EQ(error(d), "shot.tif: region: expected inside the frame of 4×5, found 5×5 from row 0, column 0");
  d = {};
  d.saturation = 9;
  expect_contains(error(d), "expected some that are neither bad nor saturated, found 0 bad and 20 saturated");
  d = {};
  d.black_level = 50;
  d.saturation = 40;
  expect_contains(error(d), "saturation: expected above the black level of 50 counts, found 40");
  d = {};
  d.binning = 8;
  expect_contains(error(d), "binning");
}

TEST(Raw, LayoutsByHand) {
  const unsigned char packed[] = {0xAB, 0xDC, 0xEF};
  Image counts;
  unpack_frame(packed, RawLayout::parse("2x1:mono12packed", "--raw"), counts);
  EXPECT_EQ(counts(0, 0), 0xABC);
  EXPECT_EQ(counts(0, 1), 0xEFD);
  const unsigned char ten[] = {0xFF, 0x12, 0x01};
  unpack_frame(ten, RawLayout::parse("2x1:mono10packed", "--raw"), counts);
  EXPECT_EQ(counts(0, 0), 0x3FE);
  EXPECT_EQ(counts(0, 1), 5);
  const unsigned char words[] = {0x34, 0x12, 0xFF, 0x0F};
  unpack_frame(words, RawLayout::parse("2x1:u16le", "--raw"), counts);
  EXPECT_EQ(counts(0, 0), 0x1234);
  unpack_frame(words, RawLayout::parse("2x1:u16be", "--raw"), counts);
  EXPECT_EQ(counts(0, 1), 0xFF0F);
  EXPECT_EQ(RawLayout::parse("3x3:mono12packed", "--raw").frame_bytes(), 15u);
  for (const char* bad : {"", "10", "10x", "0x4:u8", "4x4", "4x4:u12", "4x4x4:u8", "-1x4:u8", "999999999x4:u8"}) {
    EXPECT_THROW(RawLayout::parse(bad, "--raw"), InputError) << bad;
  }
}

TEST(Raw, FilesOfWholeFrames) {
  TemporaryFolder folder;
  testing::write_file(folder / "f.raw", std::string("\x01\x00\x02\x00\x03\x00\x04\x00", 8));
  const RawLayout layout = RawLayout::parse("2x1:u16le", "--raw");
  EXPECT_EQ(count_frames(folder / "f.raw", layout), 2);
  EXPECT_EQ(read_raw(folder / "f.raw", layout, 1).counts(0, 1), 4);
  EXPECT_THROW(read_raw(folder / "f.raw", layout, 2), InputError);
  expect_contains(error_of<InputError>([&] { read_raw(folder / "f.raw", RawLayout::parse("3x1:u8", "--raw")); }),
                  "length: expected whole frames of 3 bytes (3 columns, 1 rows), found 8 bytes");
}

TEST(Raw, CountsOfIntegerFilesAreThemselves) {
  TemporaryFolder folder;
  Image half(6, 7, 0.5f);
  write_measurement(half, folder / "a.png", {.type = SampleType::u16});
  const RawImage raw = read_raw(folder / "a.png");
  EXPECT_TRUE(raw.integer);
  EXPECT_EQ(raw.largest, 65535);
  EXPECT_NEAR(raw.counts(3, 3), 32767.5, 0.5);
  write_measurement(half, folder / "f.h5");
  EXPECT_FALSE(read_raw(folder / "f.h5").integer);
  // A scale beside the integers makes them values.
  half(0, 0) = 3;
  write_measurement(half, folder / "s.h5", {.type = SampleType::u16});
  const RawImage scaled = read_raw(folder / "s.h5");
  EXPECT_FALSE(scaled.integer);
  EXPECT_NEAR(scaled.counts(3, 3), 0.5, 1e-4);
}

TEST(Raw, StacksHaveFrames) {
  TemporaryFolder folder;
  Cube stack(3, 6, 9, 0.25f);
  for (int b = 0; b < 3; ++b) stack(b, 2, 1) = static_cast<float>(b) / 8;
  write(stack, folder / "stack.tif", {.type = SampleType::u16});
  EXPECT_EQ(count_frames(folder / "stack.tif"), 3);
  EXPECT_NEAR(read_raw((folder / "stack.tif") + ":[2]").counts(2, 1), 65535 * 0.25, 1);
  EXPECT_EQ(count_frames((folder / "stack.tif") + ":[2]"), 1);
}

}  // namespace
}  // namespace snapcube
