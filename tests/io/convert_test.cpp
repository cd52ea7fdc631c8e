#include "io/convert.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <snapcube/error.h>

#include "io/pattern.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here

template <typename T>
StoredArray stored(ElementType type, std::vector<std::int64_t> shape, const std::vector<T>& values) {
  StoredArray array;
  array.shape = std::move(shape);
  array.type = type;
  array.bytes.resize(values.size() * sizeof(T));
  std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

const Selection kSelection{"a.mat", "x", {}};

Image image_of(const StoredArray& array, Meaning meaning = Meaning::measurement) {
  return to_image(array, meaning, kSelection, {});
}

std::string error_from(const StoredArray& array, Meaning meaning = Meaning::measurement) {
  return error_of<InputError>([&] { image_of(array, meaning); });
}

TEST(Convert, EveryOrderOfAxesGivesTheSameCube) {
  LogCapture log;
  const int bands = 19;
  const int height = 37;
  const int width = 50;
  // value(b, y, x) = 10000 b + 100 y + x, a whole number that a float holds.
  const std::array<CubeLayout, 3> layouts{CubeLayout::bands_height_width, CubeLayout::height_bands_width,
                                          CubeLayout::height_width_bands};
  for (std::size_t layout = 0; layout < 3; ++layout) {
    for (const bool first_fastest : {false, true}) {
      std::vector<int> extent{height, width};
      extent.insert(extent.begin() + static_cast<int>(layout), bands);
      StoredArray array;
      array.shape.assign(extent.begin(), extent.end());
      array.first_index_fastest = first_fastest;
      array.layout = layouts[layout];
      std::vector<float> values(static_cast<std::size_t>(bands) * height * width);
      for (int i = 0; i < extent[0]; ++i) {
        for (int j = 0; j < extent[1]; ++j) {
          for (int k = 0; k < extent[2]; ++k) {
            std::vector<int> at{i, j, k};
            const int b = at[layout];
            at.erase(at.begin() + static_cast<int>(layout));
            const std::size_t place =
                first_fastest ? (k * extent[1] + j) * extent[0] + i : (i * extent[1] + j) * extent[2] + k;
            values[place] = static_cast<float>(10000 * b + 100 * at[0] + at[1]);
          }
        }
      }
      array.bytes.resize(values.size() * 4);
      std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
      const Cube cube = to_cube(array, kSelection, {});
      ASSERT_EQ(cube.bands(), bands);
      for (int b = 0; b < bands; ++b) {
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) ASSERT_EQ(cube(b, y, x), 10000 * b + 100 * y + x);
        }
      }
    }
  }
}

TEST(Convert, SizesTellTheLayout) {
  using enum CubeLayout;
  EXPECT_EQ(layout_from_sizes({256, 256, 28}), height_width_bands);
  EXPECT_EQ(layout_from_sizes({28, 256, 310}), bands_height_width);
  EXPECT_EQ(layout_from_sizes({256, 28, 310}), height_bands_width);
  EXPECT_EQ(layout_from_sizes({28, 32, 32}), bands_height_width);  // a square patch
  EXPECT_EQ(layout_from_sizes({28, 32, 33}), automatic);           // not clearly the shortest
  EXPECT_EQ(layout_from_sizes({20, 24, 28}), automatic);
  EXPECT_EQ(layout_from_sizes({28, 28, 28}), automatic);
  EXPECT_EQ(layout_from_sizes({28, 28, 31}), automatic);
  EXPECT_EQ(layout_from_sizes({28, 42, 43}), bands_height_width);
}

TEST(Convert, FileThenOptionThenWavelengthsThenSizesThenCustom) {
  LogCapture log;
  using enum CubeLayout;
  StoredArray array = stored<float>(ElementType::f32, {2, 6, 8}, std::vector<float>(96));
  const auto bands = [&](const ReadOptions& options = {}) { return to_cube(array, kSelection, options).bands(); };
  ReadOptions option;
  option.layout = height_bands_width;
  EXPECT_EQ(bands(), 2);  // the shortest
  expect_contains(log.text(), "a.mat: 2×6×8 taken as bands × height × width");
  array.wavelengths.assign(8, 500);
  EXPECT_EQ(bands(), 8);
  EXPECT_EQ(bands(option), 6);
  array.layout = height_width_bands;
  EXPECT_EQ(bands(option), 8);
  array.shape = {4, 4, 6};
  array.layout = automatic;
  array.wavelengths.clear();
  EXPECT_EQ(bands(), 6);
  array.custom = bands_height_width;
  EXPECT_EQ(bands(), 4);
}

TEST(Convert, WavelengthsMustMatchTheBands) {
  LogCapture log;
  StoredArray array = stored<float>(ElementType::f32, {6, 8, 2}, std::vector<float>(96));
  ReadOptions options;
  options.wavelengths = {500, 600, 700};
  expect_contains(error_of<InputError>([&] { to_cube(array, kSelection, options); }),
                  "wavelengths: expected one for each of 2 bands, found 3");
  options.wavelengths = {500, 600};
  array.wavelengths = {400, 410};
  EXPECT_EQ(to_cube(array, kSelection, options).wavelengths, options.wavelengths);
  array.wavelengths = {400, 410, 420};
  EXPECT_TRUE(to_cube(array, kSelection, {}).wavelengths.empty());
  expect_contains(log.text(), "warning: a.mat: 3 wavelengths for 2 bands; they are ignored");
}

TEST(Convert, ScalesIntegersByTheirRange) {
  LogCapture log;
  EXPECT_EQ(image_of(stored<std::uint8_t>(ElementType::u8, {1, 3}, {0, 51, 255}))(0, 1), 0.2f);
  EXPECT_EQ(image_of(stored<std::int8_t>(ElementType::i8, {1, 2}, {0, 127}))(0, 1), 1.0f);
  EXPECT_EQ(image_of(stored<std::uint16_t>(ElementType::u16, {1, 2}, {13107, 65535}))(0, 0), 0.2f);
  EXPECT_EQ(image_of(stored<std::int16_t>(ElementType::i16, {1, 2}, {0, 32767}))(0, 1), 1.0f);
  StoredArray scaled = stored<std::uint16_t>(ElementType::u16, {1, 2}, {0, 65535});
  scaled.scale = 12.5;
  EXPECT_EQ(image_of(scaled)(0, 1), 12.5f);
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    scaled.scale = bad;
    expect_contains(error_from(scaled), "scale of 'x': expected a positive number");
  }
  scaled.scale = 1e39;
  expect_contains(error_from(scaled), "1 of 2 values that are not, the first (infinity) at row 0, column 1");
}

TEST(Convert, RefusesNegativeIntegers) {
  expect_contains(error_from(stored<std::int16_t>(ElementType::i16, {1, 3}, {5, -7, 9})),
                  "a.mat: 'x': expected no negative integers (store floats instead), found int16 "
                  "values down to -7");
}

TEST(Convert, TakesWideIntegersOnlyAsZerosAndOnes) {
  LogCapture log;
  EXPECT_EQ(image_of(stored<std::int64_t>(ElementType::i64, {1, 3}, {0, 1, 1}))(0, 1), 1.0f);
  EXPECT_EQ(image_of(stored<std::uint32_t>(ElementType::u32, {1, 3}, {0, 1, 1}))(0, 2), 1.0f);
  const std::string message = error_from(stored<std::int32_t>(ElementType::i32, {1, 3}, {0, 4095, 1}));
  expect_contains(message, "found int32 values up to 4095");
  expect_contains(message, "divide by the full scale and store floats");
  EXPECT_THROW(image_of(stored<std::uint64_t>(ElementType::u64, {1, 1}, {~std::uint64_t{0}})), InputError);
}

TEST(Convert, TakesZerosAndOnesOfAMaskAsTheyAre) {
  LogCapture log;
  const auto array = stored<std::uint8_t>(ElementType::u8, {1, 3}, {0, 1, 1});
  EXPECT_EQ(image_of(array, Meaning::mask)(0, 1), 1.0f);
  expect_contains(log.text(), "info: a.mat: uint8 zeros and ones taken as they are");
  EXPECT_EQ(image_of(array, Meaning::measurement)(0, 1), 1.0f / 255);
  expect_contains(log.text(), "warning: a.mat: 'x': uint8 data is scaled by 1/255, but no value exceeds 1");
}

TEST(Convert, WidensHalfPrecision) {
  LogCapture log;
  const Image image =
      image_of(stored<std::uint16_t>(ElementType::f16, {1, 6}, {0x3C00, 0x3555, 0x8001, 0x7BFF, 0x0400, 0xC000}));
  EXPECT_EQ(image(0, 0), 1.0f);
  EXPECT_EQ(image(0, 1), 0.333251953125f);
  EXPECT_EQ(image(0, 2), -0x1p-24f);
  EXPECT_EQ(image(0, 3), 65504.0f);
  EXPECT_EQ(image(0, 4), 0x1p-14f);
  EXPECT_EQ(image(0, 5), -2.0f);
  expect_contains(error_from(stored<std::uint16_t>(ElementType::f16, {1, 1}, {0x7C00})), "infinity");
  expect_contains(error_from(stored<std::uint16_t>(ElementType::f16, {1, 1}, {0x7E00})), "NaN");
}

TEST(Convert, CountsAndPlacesWhatIsNotFinite) {
  std::vector<float> values(24, 0.5f);
  values[13] = values[20] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(error_from(stored<float>(ElementType::f32, {4, 6}, values)),
            "a.mat: 'x': expected finite 32-bit floats, found 2 of 24 values that are not, the "
            "first (NaN) at row 2, "
            "column 1");
  StoredArray cube = stored<float>(ElementType::f32, {2, 3, 4}, values);
  cube.layout = CubeLayout::bands_height_width;
  expect_contains(error_of<InputError>([&] { to_cube(cube, kSelection, {}); }), "row 0, column 1, band 1");
  expect_contains(error_from(stored<double>(ElementType::f64, {1, 2}, {1, -1e300})), "the first (-1e+300)");
}

TEST(Convert, WarnsOfValuesFarAboveOne) {
  const auto warning = [](double value, Meaning meaning) {
    LogCapture log;
    image_of(stored<double>(ElementType::f64, {1, 1}, {value}), meaning);
    return log.text();
  };
  EXPECT_EQ(warning(2, Meaning::mask), "");
  EXPECT_EQ(warning(28, Meaning::measurement), "");
  expect_contains(warning(255, Meaning::mask), "values up to 255 where about 1 is expected; this looks like 8-bit");
  expect_contains(warning(255, Meaning::measurement), "8-bit");
  expect_contains(warning(4000, Meaning::measurement), "12-bit");
  expect_contains(warning(65535, Meaning::measurement), "16-bit");
  expect_contains(warning(1e6, Meaning::measurement), "is the data scaled to [0,1]?");
}

TEST(Convert, DropsSingletonsAndRefusesOtherRanks) {
  LogCapture log;
  const std::vector<float> values(24, 0.5f);
  EXPECT_EQ(image_of(stored<float>(ElementType::f32, {1, 4, 6}, values)).height(), 4);
  EXPECT_EQ(image_of(stored<float>(ElementType::f32, {4, 6, 1, 1}, values)).width(), 6);
  EXPECT_EQ(image_of(stored<float>(ElementType::f32, {1, 24}, values)).height(), 1);
  expect_contains(error_from(stored<float>(ElementType::f32, {24}, values)), "expected two dimensions, found 24");
  expect_contains(error_from(stored<float>(ElementType::f32, {2, 3, 4}, values)), "a.mat:x[0] … [1]");
  const auto image = stored<float>(ElementType::f32, {4, 6}, values);
  expect_contains(error_of<InputError>([&] { to_cube(image, kSelection, {}); }),
                  "expected three dimensions, found 4×6 (a measurement or a mask?)");
  const auto batch = stored<float>(ElementType::f32, {1, 2, 3, 4}, values);
  EXPECT_EQ(to_cube(batch, kSelection, {}).size(), 24u);
}

TEST(Convert, CheckedElementsRefusesOverflow) {
  EXPECT_EQ(checked_elements({3, 5}, 4, 60, "a", "x"), 15u);
  EXPECT_THROW(checked_elements({3, 5}, 4, 59, "a", "x"), InputError);
  EXPECT_THROW(checked_elements({INT64_MAX, INT64_MAX, INT64_MAX}, 8, UINT64_MAX, "a", "x"), InputError);
  EXPECT_THROW(checked_elements({3, 0}, 4, 60, "a", "x"), InputError);
  EXPECT_THROW(checked_elements({-3, -5}, 4, 60, "a", "x"), InputError);
}

}  // namespace
}  // namespace snapcube
