#include <cmath>
#include <fmt/format.h>
#include <omp.h>
#include <set>

#include <snapcube/error.h>

#include "io/pattern.h"
#include "io/png.h"

namespace snapcube {

using namespace io;
namespace {

using namespace testing;  // NOLINT: the helpers of all tests here
namespace fs = std::filesystem;

StoredArray load(const fs::path& path) { return png_folder_format().load(path.string(), "", {}); }
std::string refusal(const fs::path& path) {
  return error_of<InputError>([&] { load(path); });
}

/// A u8 band of the pattern, written by the PNG writer (which png_test checks against other
/// programs).
void write_band(const fs::path& path, int band, int height = 5, int width = 7, std::vector<PngText> texts = {}) {
  std::vector<std::byte> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      pixels.push_back(static_cast<std::byte>(static_cast<int>(pattern(ElementType::u8, band, y, x))));
    }
  }
  write_png_file({pixels.data(), height, width, 1, 8}, texts, path.string(), path.string());
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(PngFolder, ReadsCaveNaming) {
  TemporaryFolder folder;
  for (int b = 0; b < 23; ++b) write_band(folder / fmt::format("beads_ms_{:02}.png", b + 5), b);
  write_file(folder / "beads_RGB.bmp", "not a picture");
  write_file(folder / "Thumbs.db", "neither");
  write_file(folder / "._beads_ms_05.png", "left by a Mac");
  const StoredArray array = load(folder.path());
  expect_pattern(array, ElementType::u8, 23, 5, 7);
  EXPECT_EQ(array.layout, CubeLayout::bands_height_width);
  ASSERT_EQ(array.wavelengths.size(), 23u);
  EXPECT_EQ(array.wavelengths.front(), 440);
  EXPECT_EQ(array.wavelengths.back(), 660);
  EXPECT_EQ(png_folder_format().describe(folder.path().string(), {}).wavelengths, array.wavelengths);
  // The same for every number of threads, and with a slash at the end.
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  EXPECT_EQ(load(folder.path() / "").bytes, array.bytes);
  omp_set_num_threads(threads);
}

TEST(PngFolder, SortsByNumberNotByName) {
  TemporaryFolder folder;
  for (int b = 0; b < 12; ++b) write_band(folder / fmt::format("band{}.PNG", b + 1), b);
  const StoredArray array = load(folder.path());
  expect_pattern(array, ElementType::u8, 12, 5, 7);
  EXPECT_TRUE(array.wavelengths.empty());
}

TEST(PngFolder, LooksIntoTheOnlyFolderInside) {
  TemporaryFolder folder;
  fs::create_directory(folder / "x_ms");
  for (int b = 0; b < 3; ++b) write_band(folder / fmt::format("x_ms/x_ms_{:02}.png", b + 1), b);
  expect_pattern(load(folder.path()), ElementType::u8, 3, 5, 7);
  fs::create_directory(folder / "y_ms");
  expect_contains(refusal(folder.path()), "expected a folder of PNGs, one a band, found 2 folders");
}

TEST(PngFolder, WarnsOfGapsAndNamesWhatIsLeftOut) {
  TemporaryFolder folder;
  LogCapture log;
  write_band(folder / "x_ms_01.png", 0);
  write_band(folder / "x_ms_04.png", 1);
  write_band(folder / "overview.png", 1);
  const StoredArray array = load(folder.path());
  const std::vector<double> wavelengths{400, 430};
  EXPECT_EQ(array.wavelengths, wavelengths);
  expect_contains(log.text(), "no band between x_ms_01.png and x_ms_04.png");
  expect_contains(log.text(), "left out, because there is no number in the name: overview.png");
}

TEST(PngFolder, RefusesWhatIsNoSeries) {
  TemporaryFolder folder;
  expect_contains(refusal(folder.path()), "no PNG in it");
  expect_contains(refusal(folder / "nowhere"), "a readable folder");
  write_band(folder / "overview.png", 0);
  expect_contains(refusal(folder.path()), "PNGs whose names end in a number, found overview.png");
  write_band(folder / "a_1.png", 0);
  write_band(folder / "a_01.png", 0);
  expect_contains(refusal(folder.path()), "each number once, found a_01.png and a_1.png");
  fs::remove(folder / "a_01.png");
  write_band(folder / "b_2.png", 0);
  expect_contains(refusal(folder.path()), "one numbered series of PNGs, found a_*.png, b_*.png");
}

TEST(PngFolder, BandsMustBeAlike) {
  TemporaryFolder folder;
  write_band(folder / "a_1.png", 0);
  write_band(folder / "a_2.png", 0, 7, 5);
  expect_contains(refusal(folder.path()), "a_2.png: size: expected 5×7, uint8, as in a_1.png, found 7×5, uint8");
  write_band(folder / "a_2.png", 0, 5, 7, {{"snapcube:scale", "2"}});
  expect_contains(refusal(folder.path()), "in every band or in none");
  write_band(folder / "a_1.png", 0, 5, 7, {{"snapcube:scale", "3"}});
  expect_contains(refusal(folder.path()), "expected 3, as in a_1.png, found 2");
}

TEST(PngFolder, ADamagedBandIsNamed) {
  TemporaryFolder folder;
  for (int b = 1; b <= 9; ++b) write_band(folder / fmt::format("a_{}.png", b), b);
  for (const char* name : {"a_7.png", "a_4.png"}) {
    const std::string content = file_content(folder / name);
    write_file(folder / name, content.substr(0, content.size() - 20));
  }
  // Of several, the first by number, whichever thread was faster.
  for (int i = 0; i < 5; ++i) expect_contains(refusal(folder.path()), "a_4.png");
  ReadOptions small;
  small.max_bytes = 9 * 5 * 7 - 1;
  fs::copy_file(folder / "a_1.png", folder / "a_4.png", fs::copy_options::overwrite_existing);
  fs::copy_file(folder / "a_1.png", folder / "a_7.png", fs::copy_options::overwrite_existing);
  expect_contains(error_of<InputError>([&] { png_folder_format().load(folder.path().string(), "", small); }), "size");
}

TEST(PngFolder, RoundTripsOnTheCaveGrid) {
  TemporaryFolder folder;
  Cube cube = random_cube(3, 13, 17, 1);
  cube(1, 2, 3) = 2.5f;
  cube.wavelengths = {440, 450, 700};
  png_folder_format().save(request_of(cube, SampleType::automatic), folder / "toys_ms/");
  const std::set<std::string> names{"toys_ms_05.png", "toys_ms_06.png", "toys_ms_31.png"};
  EXPECT_EQ(names_in(folder / "toys_ms"), names);
  LogCapture quiet;
  const StoredArray array = load(folder / "toys_ms");
  EXPECT_EQ(array.type, ElementType::u16);
  EXPECT_EQ(array.wavelengths, cube.wavelengths);
  EXPECT_EQ(array.scale.value(), 2.5);
  expect_values(array, 3, 13, 17,
                [&](auto b, auto y, auto x) { return quantised(cube(int(b), int(y), int(x)), 2.5, 65535); });
}

TEST(PngFolder, RoundTripsOtherWavelengths) {
  TemporaryFolder folder;
  Cube cube = random_cube(3, 4, 5, 1);
  cube.wavelengths = {453.5, 457.123456789, 648};
  png_folder_format().save(request_of(cube, SampleType::u8), folder / "toys_ms");
  const std::set<std::string> names{"toys_01.png", "toys_02.png", "toys_03.png"};
  EXPECT_EQ(names_in(folder / "toys_ms"), names);
  const StoredArray array = load(folder / "toys_ms");
  EXPECT_EQ(array.type, ElementType::u8);
  EXPECT_EQ(array.wavelengths, cube.wavelengths);

  // Without wavelengths none are read back, and a hundred bands are still in order.
  const Cube many = random_cube(101, 2, 2, 1);
  png_folder_format().save(request_of(many, SampleType::u8), folder / "toys_ms");
  const StoredArray back = load(folder / "toys_ms");
  EXPECT_TRUE(back.wavelengths.empty());
  EXPECT_TRUE(fs::exists(folder / "toys_ms/toys_001.png"));
  EXPECT_FALSE(fs::exists(folder / "toys_ms/toys_01.png"));
  expect_values(back, 101, 2, 2,
                [&](auto b, auto y, auto x) { return quantised(many(int(b), int(y), int(x)), 1, 255); });
}

TEST(PngFolder, ReplacesBandsOnly) {
  TemporaryFolder folder;
  const Cube cube = random_cube(2, 4, 5, 1);
  const SaveRequest request = request_of(cube, SampleType::u8);
  fs::create_directory(folder / "home");
  write_file(folder / "home/thesis.tex", "three years");
  expect_contains(error_of<Error>([&] { png_folder_format().save(request, folder / "home"); }),
                  "thesis.tex in it is not a band");
  EXPECT_EQ(names_in(folder / "home"), std::set<std::string>{"thesis.tex"});
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"home"});
}

TEST(PngFolder, RefusesImagesAndFloatsAndMissingFolders) {
  TemporaryFolder folder;
  const Image image = random_image(4, 5, 1);
  const Cube cube = random_cube(2, 4, 5, 1);
  EXPECT_THROW(png_folder_format().save(request_of(image, SampleType::u8), folder / "x"), InputError);
  EXPECT_THROW(png_folder_format().save(request_of(cube, SampleType::f32), folder / "x"), InputError);
  EXPECT_THROW(png_folder_format().save(request_of(cube, SampleType::u8), folder / "no/x"), Error);
  EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace snapcube
