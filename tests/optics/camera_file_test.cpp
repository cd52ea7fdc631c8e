#include <algorithm>
#include <cmath>

#include <snapcube/snapcube.h>

#include "io/hdf5_datasets.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::expect_contains;
using testing::random_cube;
using testing::random_image;
using testing::TemporaryFolder;

CameraFile full_camera() {
  CameraFile c;
  c.masks = random_cube(4, 20, 30, 1);
  c.masks.wavelengths = c.wavelengths = {450, 500, 560, 640};
  c.positions = {0.25, 3.5, 7.75, 12};
  c.curve = {6, 6, 0.1};
  c.band_gains = {0.8, 1, 1.2, 1};
  c.axis = Axis::rows;
  Detector& d = c.detector;
  d.black_level = 64;
  d.saturation = 4000;
  d.gain = 0.5;
  d.read_noise = 2.5;
  d.region = Region{1, 2, 33, 30};
  d.binning = 2;
  d.flip_rows = true;
  d.quarter_turns = 3;
  d.dark = Image(40, 50, 64.5f);
  d.flat = random_image(40, 50, 3);
  d.bad = Image(40, 50);
  d.bad(3, 4) = 1;
  c.provenance = {{"files", "a.tif, b.tif"}, {"version", "0.1"}};
  return c;
}

TEST(CameraFile, ComesBackAsItWasWritten) {
  TemporaryFolder folder;
  const CameraFile c = full_camera();
  write_camera(c, folder / "camera.h5");
  EXPECT_TRUE(is_camera_file(folder / "camera.h5"));
  testing::LogCapture log;
  const CameraFile r = read_camera(folder / "camera.h5");
  EXPECT_EQ(log.text(), "");  // counts are not scaled, nothing is surprising
  EXPECT_TRUE(std::ranges::equal(c.masks.values(), r.masks.values()));
  EXPECT_TRUE(r.mask.empty());
  EXPECT_EQ(c.wavelengths, r.wavelengths);
  EXPECT_EQ(c.positions, r.positions);
  EXPECT_EQ(c.curve, r.curve);
  EXPECT_EQ(c.band_gains, r.band_gains);
  EXPECT_EQ(r.axis, Axis::rows);
  EXPECT_EQ(c.provenance, r.provenance);
  EXPECT_EQ(r.detector.black_level, 64);
  EXPECT_EQ(r.detector.saturation, 4000);
  EXPECT_EQ(r.detector.gain, 0.5);
  EXPECT_EQ(r.detector.read_noise, 2.5);
  EXPECT_EQ(r.detector.binning, 2);
  EXPECT_TRUE(r.detector.flip_rows);
  EXPECT_FALSE(r.detector.flip_columns);
  EXPECT_EQ(r.detector.quarter_turns, 3);
  ASSERT_TRUE(r.detector.region);
  EXPECT_EQ(r.detector.region->height, 33);
  EXPECT_TRUE(std::ranges::equal(c.detector.dark.values(), r.detector.dark.values()));
  EXPECT_TRUE(std::ranges::equal(c.detector.flat.values(), r.detector.flat.values()));
  EXPECT_EQ(r.detector.bad(3, 4), 1);
  const Camera camera = r.camera();
  EXPECT_FALSE(camera.plain());
  EXPECT_EQ(camera.detector_height(), 20 + 12);
}

TEST(CameraFile, TheSameCameraGivesTheSameBytes) {
  TemporaryFolder folder;
  write_camera(full_camera(), folder / "a.h5");
  write_camera(full_camera(), folder / "b.h5");
  EXPECT_EQ(testing::file_content(folder / "a.h5"), testing::file_content(folder / "b.h5"));
}

TEST(CameraFile, OtherBandsLieOnTheCurve) {
  CameraFile c = full_camera();
  EXPECT_NEAR(c.position(545), 6, 1e-12);            // t = 0
  EXPECT_NEAR(c.position(640), 6 + 6 + 0.1, 1e-12);  // t = 1
  EXPECT_NEAR(c.position(450), 6 - 6 + 0.1, 1e-12);  // t = −1
  const CameraFile two = c.at({475, 640});
  EXPECT_NEAR(two.positions[0], c.position(475), 1e-12);
  EXPECT_NEAR(two.masks(0, 5, 6), (c.masks(0, 5, 6) + c.masks(1, 5, 6)) / 2, 1e-6);
  EXPECT_EQ(two.masks(1, 5, 6), c.masks(3, 5, 6));
  EXPECT_NEAR(two.band_gains[0], 0.9, 1e-12);
  c.curve.clear();
  EXPECT_NEAR(c.position(475), (0.25 + 3.5) / 2, 1e-12);
  EXPECT_THROW(c.at({400}), InputError);
}

/// A file of one's own: a few datasets, written by whatever writes HDF5.
std::string hand_made(const TemporaryFolder& folder, const std::vector<double>& positions,
                      const std::vector<double>& wavelengths, double version = 1) {
  const std::string path = folder / "own.h5";
  const Image mask(6, 8, 1.0f);
  std::vector<io::Hdf5Dataset> datasets = {{"mask", {6, 8}, mask.data(), ""},
                                           {"positions", {positions.size()}, positions.data(), ""},
                                           {"camera_version", {1}, &version, ""}};
  if (!wavelengths.empty()) datasets.push_back({"wavelengths", {wavelengths.size()}, wavelengths.data(), ""});
  io::write_hdf5_datasets(datasets, path);
  return path;
}

TEST(CameraFile, RefusesWhatIsNoCamera) {
  TemporaryFolder folder;
  EXPECT_EQ(read_camera(hand_made(folder, {0, 2}, {500, 600})).bands(), 2);
  const auto error = [&](const std::vector<double>& positions, const std::vector<double>& wavelengths,
                         double version = 1) {
    const std::string path = hand_made(folder, positions, wavelengths, version);
    return error_of<InputError>([&] { read_camera(path); });
  };
  expect_contains(error({0, 2}, {500, 600}, 2),
                  "'camera_version': expected at most 1 (a newer program wrote this file)");
  expect_contains(error({0, 2, 4}, {500, 600}), "'wavelengths': expected one for each of the 3 positions, found 2");
  expect_contains(error({0, 2}, {500, 500}), "'wavelengths': expected each once, found 500 nm twice");
  expect_contains(error({0, 2}, {0.5, 0.6}), "'wavelengths': expected nanometres");
  expect_contains(error({0, 1e7}, {}), "offsets");
  expect_contains(error({0, std::nan("")}, {}), "'positions': expected finite numbers, found nan");
  write_mask(Image(4, 4, 1.0f), folder / "mask.h5");
  EXPECT_FALSE(is_camera_file(folder / "mask.h5"));
  expect_contains(error_of<InputError>([&] { read_camera(folder / "mask.h5"); }), "expected a dataset 'positions'");
  expect_contains(error_of<InputError>([&] { read_camera(folder / "none.h5"); }), "none.h5");
  expect_contains(error_of<InputError>([&] { read_camera(folder / "x.png"); }), "expected a camera file (.h5)");
  EXPECT_FALSE(std::filesystem::exists(folder / "bad.h5"));
  CameraFile bad = full_camera();
  bad.masks = Cube(4, 3, 3, -1.0f);
  EXPECT_THROW(write_camera(bad, folder / "bad.h5"), InputError);
  EXPECT_FALSE(std::filesystem::exists(folder / "bad.h5"));
}

/// Every byte of a file turned over: an answer or an InputError, never anything else.
TEST(CameraFile, DamageIsAnError) {
  TemporaryFolder folder;
  CameraFile c = full_camera();
  c.masks = random_cube(4, 3, 3, 1);
  c.detector = {};
  write_camera(c, folder / "camera.h5");
  const std::string good = testing::file_content(folder / "camera.h5");
  int refused = 0;
  for (std::size_t i = 0; i < good.size(); i += 997) {
    std::string bytes = good;
    bytes[i] = static_cast<char>(~bytes[i]);
    testing::write_file(folder / "x.h5", bytes);
    try {
      static_cast<void>(read_camera(folder / "x.h5").camera());
    } catch (const InputError&) {
      ++refused;
    }
  }
  for (const std::size_t n : {std::size_t{0}, std::size_t{8}, good.size() / 2, good.size() - 1}) {
    testing::write_file(folder / "x.h5", good.substr(0, n));
    EXPECT_THROW(read_camera(folder / "x.h5"), InputError) << n;
  }
  EXPECT_GT(refused, 0);
}

TEST(Masks, PerBandInPublishedOrders) {
  TemporaryFolder folder;
  const Cube masks = random_cube(5, 20, 30, 1);
  write(masks, folder / "m.mat", {.variable = "mask_3d"});
  const MaskFile read = read_masks(folder / "m.mat");
  EXPECT_FALSE(read.shifted);
  EXPECT_TRUE(std::ranges::equal(read.masks.values(), masks.values()));

  const Camera camera(masks, {.step = 3});
  write(shifted_masks(camera), folder / "s.mat", {.variable = "mask_3d_shift"});
  const MaskFile shifted = read_masks(folder / "s.mat");
  EXPECT_TRUE(shifted.shifted);
  EXPECT_EQ(shifted.masks.width(), 42);
  const Cube back = unshifted_masks(shifted.masks, {.step = 3}, "s.mat");
  EXPECT_TRUE(std::ranges::equal(back.values(), masks.values()));
  // Another step finds light where there can be none.
  expect_contains(error_of<InputError>([&] { unshifted_masks(shifted.masks, {.step = 2}, "s.mat"); }),
                  "is --step right?");
  EXPECT_THROW(unshifted_masks(shifted.masks, {.offsets = {0, 1.5, 3, 4, 5}}, "s.mat"), InputError);

  const Camera rows(masks, {.step = -2, .axis = Axis::rows});
  const Cube again = unshifted_masks(shifted_masks(rows), {.step = -2, .axis = Axis::rows}, "x");
  EXPECT_TRUE(std::ranges::equal(again.values(), masks.values()));

  write_mask(random_image(4, 5, 1), folder / "plain.mat");
  EXPECT_EQ(read_masks(folder / "plain.mat").mask.width(), 5);
}

}  // namespace
}  // namespace snapcube
