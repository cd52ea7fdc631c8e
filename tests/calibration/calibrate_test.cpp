// Calibrations of simulated benches, whose cameras are known.

#include <cmath>
#include <filesystem>
#include <fmt/format.h>

#include <snapcube/snapcube.h>

#include "calibration/simulated_bench.h"
#include "support.h"

namespace snapcube {
namespace {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

BenchOptions small_bench() {
  BenchOptions options;
  options.height = 96;
  options.width = 96;
  options.wavelengths = even_wavelengths(450, 20, 11);
  return options;
}

CalibrationInput files_of(const std::string& folder) {
  CalibrationInput input;
  input.captures = find_captures({folder + "/captures"});
  input.dark = find_frames({folder + "/dark"});
  input.white = find_frames({folder + "/white"});
  input.exposures = find_exposures(folder + "/exposures");
  input.mask_picture = folder + "/mask.png";
  return input;
}

/// The best factor taken out: PSNR against the brightest value of the truth.
double fitted_psnr(const Cube& cube, const Cube& truth) {
  double ab = 0;
  double aa = 0;
  double peak = 0;
  for (std::size_t i = 0; i < cube.size(); ++i) {
    ab += static_cast<double>(cube.values()[i]) * truth.values()[i];
    aa += static_cast<double>(cube.values()[i]) * cube.values()[i];
    peak = std::max(peak, static_cast<double>(truth.values()[i]));
  }
  double squares = 0;
  for (std::size_t i = 0; i < cube.size(); ++i) {
    const double off = ab / aa * cube.values()[i] - truth.values()[i];
    squares += off * off;
  }
  return 10 * std::log10(peak * peak / (squares / static_cast<double>(cube.size())));
}

Cube reconstructed(const Image& counts, const CameraFile& file) {
  PreparedFrame frame;
  prepare(counts, file.detector, "shot", frame);
  Camera camera = file.camera();
  if (!frame.weights.empty()) camera.set_weights(frame.weights);
  return Reconstructor::open("gap-tv", {{"iterations", "40"}}).reconstruct(frame.values, camera);
}

struct BenchCase {
  const char* name;
  double blur;
  double electrons;
  double read_noise;
  double turn;
  double growth;
  Axis axis;
  std::vector<double> missing;
};

class KnownBench : public ::testing::TestWithParam<BenchCase> {};

TEST_P(KnownBench, IsFoundAgain) {
  const BenchCase& wanted = GetParam();
  BenchOptions options = small_bench();
  options.blur = wanted.blur;
  options.electrons = wanted.electrons;
  options.read_noise = wanted.read_noise;
  options.turn = wanted.turn;
  options.growth = wanted.growth;
  options.axis = wanted.axis;
  options.missing = wanted.missing;
  const SimulatedBench bench(options);
  const TemporaryFolder folder;
  write_bench(bench, folder / "bench");
  CalibrationOptions how;
  how.wavelengths = options.wavelengths;
  const Calibration found = calibrate(files_of(folder / "bench"), how);
  const CameraFile& truth = bench.camera();

  double worst_gain = 0;
  for (std::size_t b = 0; b < options.wavelengths.size(); ++b) {
    EXPECT_NEAR(found.camera.positions[b], truth.positions[b], 0.05) << options.wavelengths[b];
    EXPECT_NEAR(found.camera.position(options.wavelengths[b]), truth.positions[b], 0.05);
    EXPECT_NEAR(found.camera.band_gains[b] / truth.band_gains[b], 1, 0.01) << options.wavelengths[b];
    worst_gain = std::max(worst_gain, std::fabs(found.camera.band_gains[b] / truth.band_gains[b] - 1));
  }
  EXPECT_EQ(found.camera.axis, options.axis);
  const Detector& d = found.camera.detector;
  EXPECT_NEAR(d.gain / options.gain, 1, 0.05);
  EXPECT_NEAR(d.read_noise / options.read_noise, 1, 0.05);
  EXPECT_NEAR(d.black_level, options.black_level, 0.6);
  EXPECT_EQ(d.saturation, 4095);
  // Hot and dead pixels: all that there are, and hardly another.
  int missed = 0;
  int invented = 0;
  for (std::size_t i = 0; i < d.bad.size(); ++i) {
    missed += truth.detector.bad.data()[i] != 0 && d.bad.data()[i] == 0;
    invented += truth.detector.bad.data()[i] == 0 && d.bad.data()[i] != 0;
  }
  EXPECT_EQ(missed, 0);
  EXPECT_LE(invented, 1);
  EXPECT_EQ(d.region->top, truth.detector.region->top);
  EXPECT_EQ(d.region->left, truth.detector.region->left);

  // Rotation and scale.
  const double turn = (found.captures.back().turn - found.captures.front().turn) * 180 / 3.14159265358979;
  EXPECT_NEAR(turn, options.turn, 0.02);
  EXPECT_NEAR(found.captures.back().scale - found.captures.front().scale, options.growth, 3e-4);
  EXPECT_EQ(found.resampled, found.corner > 0.2);
  EXPECT_GT(found.picture_correlation.value_or(0), 0.9);
  EXPECT_TRUE(found.verdict.starts_with("Good") || found.verdict.starts_with("Usable")) << found.verdict;

  // What it is for.
  const Image shot = bench.shot();
  const double with_truth = fitted_psnr(reconstructed(shot, truth), bench.radiance());
  const double with_found = fitted_psnr(reconstructed(shot, found.camera), bench.radiance());
  EXPECT_GT(with_found, with_truth - 0.3);
  if (std::getenv("SNAPCUBE_SHOW_FIGURES")) {
    double worst = 0;
    for (std::size_t b = 0; b < truth.positions.size(); ++b) {
      worst = std::max(worst, std::fabs(found.camera.positions[b] - truth.positions[b]));
    }
    fmt::print("| {} | {:.3f} | {:.1f} % | {:.1f} % | {:.1f} % | {:.2f} | {:.2f} | {:.2f} |\n", wanted.name, worst,
               100 * worst_gain, 100 * std::fabs(d.gain / options.gain - 1),
               100 * std::fabs(d.read_noise / options.read_noise - 1), found.corner, with_truth, with_found);
  }
}

INSTANTIATE_TEST_SUITE_P(Benches, KnownBench,
                         ::testing::Values(BenchCase{"Sharp", 0.5, 12000, 7, 0, 0, Axis::columns, {}},
                                           BenchCase{"Blurred", 1.0, 12000, 7, 0, 0, Axis::columns, {}},
                                           BenchCase{"Noisy", 0.7, 2500, 15, 0, 0, Axis::columns, {}},
                                           BenchCase{"Turned", 0.6, 12000, 7, 0.4, 0.004, Axis::columns, {}},
                                           BenchCase{"AlongTheRows", 0.6, 12000, 7, -0.2, 0, Axis::rows, {}},
                                           BenchCase{"Missing", 0.7, 12000, 7, 0, 0, Axis::columns, {490, 590}}),
                         [](const auto& one) { return one.param.name; });

/// One bench for all that is wrong with its files.
class BadBench : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    BenchOptions options = small_bench();
    options.height = 48;
    options.width = 48;
    options.wavelengths = even_wavelengths(450, 25, 7);
    write_bench(SimulatedBench(options), *folder_ / "bench");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  /// A copy that may be spoilt.
  BadBench() { fs::copy(*folder_ / "bench", place_ / "bench", fs::copy_options::recursive); }

  std::string file(const std::string& name) const { return place_ / ("bench/" + name); }
  std::string error() const {
    return testing::error_of<InputError>([&] { calibrate(files_of(place_ / "bench")); });
  }
  void put(const std::string& name, Image counts) const {
    for (float& v : counts.values()) v /= 65535;
    write_measurement(counts, file(name), {.type = SampleType::u16});
  }
  Image get(const std::string& name) const { return read_raw(file(name)).counts; }

  static TemporaryFolder* folder_;
  TemporaryFolder place_;
};
TemporaryFolder* BadBench::folder_ = nullptr;

TEST_F(BadBench, AWavelengthTwice) {
  fs::copy(file("captures/500nm.png"), file("captures/again_500.0nm.png"));
  const std::string text = error();
  testing::expect_contains(text, "again_500.0nm.png: wavelength: expected each once, found 500 nm");
}

TEST_F(BadBench, ANameWithoutWavelength) {
  fs::rename(file("captures/500nm.png"), file("captures/green.png"));
  testing::expect_contains(error(), "green.png: name: expected a wavelength in it");
}

TEST_F(BadBench, DifferentSizes) {
  put("captures/500nm.png", crop(get("captures/500nm.png"), {0, 0, 60, 60}));
  const std::string text = error();
  testing::expect_contains(text, "500nm.png: size: expected 72×84, that of ");
  testing::expect_contains(text, "found 60×60");
}

TEST_F(BadBench, ADarkFrameBrighterThanTheFlat) {
  Image bright = get("dark/dark_01.png");
  for (float& v : bright.values()) v += 3000;
  for (int i = 1; i <= 8; ++i) put(fmt::format("dark/dark_{:02}.png", i), bright);
  const std::string text = error();
  testing::expect_contains(text, "450nm.png: brightness: expected above the dark frames' mean of 3096 counts, found");
}

TEST_F(BadBench, TooFewWavelengths) {
  for (const char* name : {"450nm", "500nm", "525nm", "575nm"})
    fs::remove(file(std::string("captures/") + name + ".png"));
  testing::expect_contains(error(),
                           "wavelengths: expected captures at 4 at least, for a curve that can be checked, found 3");
}

TEST_F(BadBench, AllSaturated) {
  Image full = get("captures/500nm.png");
  for (float& v : full.values()) v = v > 300 ? 4095.0f : v;
  put("captures/500nm.png", full);
  testing::expect_contains(
      error(), "500nm.png: pixels: expected at most half of the lit ones full, at 4095 counts, found 100 %");
}

TEST_F(BadBench, NoContrast) {
  // Light in the window, but no pattern.
  Image flat = get("captures/500nm.png");
  Random random(3);
  for (int y = 0; y < flat.height(); ++y) {
    for (int x = 0; x < flat.width(); ++x) {
      const bool lit = y >= 12 && y < 60 && x >= 16 && x < 64;
      flat(y, x) = static_cast<float>(std::round((lit ? 900 : 96) + 8 * random.normal()));
    }
  }
  put("captures/500nm.png", flat);
  testing::expect_contains(error(), "500nm.png: contrast: expected ");
}

TEST_F(BadBench, OneFrameOfAnExposure) {
  fs::remove(file("exposures/3ms_2.png"));
  testing::expect_contains(error(), "3ms_1.png: exposure '3ms': expected at least two frames");
}

TEST_F(BadBench, NoDarkFrames) {
  CalibrationInput input = files_of(place_ / "bench");
  input.dark.clear();
  testing::expect_contains(testing::error_of<InputError>([&] { calibrate(input); }), "dark frames");
}

TEST_F(BadBench, BandsOutsideOfTheCaptures) {
  CalibrationOptions options;
  options.wavelengths = {440, 500};
  const std::string text = testing::error_of<InputError>([&] { calibrate(files_of(place_ / "bench"), options); });
  testing::expect_contains(text, "expected inside of the captures' 450 … 600 nm, found 440 nm");
}

/// A wrong label bends nothing and is named.
TEST_F(BadBench, AWrongLabelIsAnOutlier) {
  fs::rename(file("captures/500nm.png"), file("captures/507nm.png"));
  const Calibration found = calibrate(files_of(place_ / "bench"));
  int outliers = 0;
  for (const CaptureFinding& capture : found.captures) {
    outliers += capture.outlier;
    EXPECT_EQ(capture.outlier, capture.wavelength == 507) << capture.wavelength;
  }
  EXPECT_EQ(outliers, 1);
  ASSERT_FALSE(found.doubts.empty());
  testing::expect_contains(found.doubts.front().sentence, "507nm.png (507 nm) lies ");
}

TEST_F(BadBench, ListsAndInterruptions) {
  // A list in place of names.
  std::string list = "file,wavelength\n";
  int number = 0;
  for (double nm = 450; nm <= 600; nm += 25) {
    fs::rename(file(fmt::format("captures/{:g}nm.png", nm)), file(fmt::format("captures/frame{}.png", number)));
    list += fmt::format("frame{}.png,{}\n", number++, nm);
  }
  testing::write_file(file("captures/list.csv"), list);
  const Calibration found = calibrate(files_of(place_ / "bench"));
  EXPECT_EQ(found.camera.wavelengths, even_wavelengths(450, 25, 7));
  EXPECT_THROW(calibrate(files_of(place_ / "bench"), {}, [](const std::string&, double done) { return done < 0.4; }),
               Interrupted);
}

}  // namespace
}  // namespace snapcube
