// Frames, masks and cubes in the caller's memory.

#include <algorithm>
#include <vector>

#include <snapcube/snapcube.h>

#include "engine/random_weights.h"
#include "models/weights.h"
#include "support.h"

namespace snapcube {
namespace {

constexpr int kBands = 6;
constexpr int kSide = 64;

struct Shot {
  Camera camera{random_mask(kSide, kSide, MaskKind::binary, 0.5, 1), {.bands = kBands}};
  Image measurement = camera.forward(testing::random_cube(kBands, kSide, kSide, 1));
};

Reconstructor network(const testing::TemporaryFolder& folder) {
  ModelConfig config = cst_variant("cst-s");
  config.bands = kBands;
  config.wavelengths.clear();
  write_weights(engine::random_weights(config, 1), folder / "w.safetensors");
  return Reconstructor::open_model(folder / "w.safetensors");
}

Reconstructor solver() { return Reconstructor::open("gap-tv", {{"iterations", "3"}}); }

void expect_equal(const CubeView& found, const Cube& expected) {
  for (int b = 0; b < expected.bands(); ++b) {
    for (int y = 0; y < expected.height(); ++y) {
      for (int x = 0; x < expected.width(); ++x) ASSERT_EQ(found(b, y, x), expected(b, y, x)) << b << ' ' << y;
    }
  }
}

/// Every way to lay out a frame and a cube gives the values of the plain one.
void expect_same_in_every_layout(Reconstructor method) {
  const Shot shot;
  const Image& y = shot.measurement;
  const Cube expected = method.reconstruct(y, shot.camera);
  const auto h = static_cast<std::size_t>(y.height());
  const auto w = static_cast<std::size_t>(y.width());

  std::vector<float> padded(h * (w + 7), -1e30f);
  std::vector<float> transposed(h * w);
  std::vector<float> upside_down(h * w);
  for (std::size_t r = 0; r < h; ++r) {
    for (std::size_t c = 0; c < w; ++c) {
      const float value = y(static_cast<int>(r), static_cast<int>(c));
      padded[r * (w + 7) + c] = value;
      transposed[c * h + r] = value;
      upside_down[(h - 1 - r) * w + c] = value;
    }
  }
  const auto rows = static_cast<std::ptrdiff_t>(w);
  const ImageView frames[] = {
      ImageView(y),
      ImageView(padded.data(), y.height(), y.width(), rows + 7),
      ImageView(transposed.data(), y.height(), y.width(), 1, y.height()),
      ImageView(upside_down.data() + (h - 1) * w, y.height(), y.width(), -rows),
  };
  constexpr std::ptrdiff_t kPadded = kSide + 3;
  for (const ImageView& frame : frames) {
    std::vector<float> memory(kBands * kSide * kPadded, 7.0f);
    const CubeView plain(memory.data(), kBands, kSide, kSide);
    method.reconstruct(frame, shot.camera, plain);
    expect_equal(plain, expected);

    std::ranges::fill(memory, 7.0f);
    const CubeView gaps(memory.data(), kBands, kSide, kSide, kSide * kPadded, kPadded, 1);
    method.reconstruct(frame, shot.camera, gaps);
    expect_equal(gaps, expected);
    for (int b = 0; b < kBands; ++b) {
      for (int r = 0; r < kSide; ++r) {
        for (int c = kSide; c < kPadded; ++c) ASSERT_EQ(gaps.row(b, r)[c], 7.0f) << "written between the rows";
      }
    }

    const CubeView pixels(memory.data(), kBands, kSide, kSide, 1, kSide * kBands, kBands);  // height × width × bands
    method.reconstruct(frame, shot.camera, pixels);
    expect_equal(pixels, expected);

    const CubeView backwards(memory.data() + (kBands - 1) * kSide * kSide, kBands, kSide, kSide, -kSide * kSide, kSide,
                             1);
    method.reconstruct(frame, shot.camera, backwards);
    expect_equal(backwards, expected);
  }
}

TEST(Views, ASolverTakesEveryLayout) { expect_same_in_every_layout(solver()); }

TEST(Views, ANetworkTakesEveryLayout) {
  const testing::TemporaryFolder folder;
  expect_same_in_every_layout(network(folder));
}

TEST(Views, AMaskMayHaveAnyLayout) {
  const Shot shot;
  const Image& mask = shot.camera.mask();
  std::vector<float> turned(mask.size());
  for (int y = 0; y < kSide; ++y) {
    for (int x = 0; x < kSide; ++x) turned[static_cast<std::size_t>(x * kSide + y)] = mask(y, x);
  }
  const Camera camera(ImageView(turned.data(), kSide, kSide, 1, kSide), {.bands = kBands});
  EXPECT_TRUE(std::ranges::equal(camera.mask().values(), mask.values()));
}

TEST(Views, WeightsOfTheDetectorCountInEveryLayout) {
  Shot shot;
  Image weights(shot.measurement.height(), shot.measurement.width(), 1.0f);
  weights(3, 4) = 0;
  shot.camera.set_weights(weights);
  Reconstructor method = solver();
  const Cube expected = method.reconstruct(shot.measurement, shot.camera);
  std::vector<float> memory(expected.size());
  const CubeView view(memory.data(), kBands, kSide, kSide);
  method.reconstruct(shot.measurement, shot.camera, view);
  expect_equal(view, expected);
  ASSERT_FALSE(std::ranges::equal(expected.values(), method.reconstruct(shot.measurement, Shot().camera).values()));
}

TEST(Views, RefuseWhatIsNoMemory) {
  float value = 0;
  EXPECT_THROW(ImageView(nullptr, 2, 2), InputError);
  EXPECT_THROW(ImageView(&value, -1, 2), InputError);
  EXPECT_THROW(CubeView(nullptr, 1, 2, 2), InputError);
  EXPECT_THROW(CubeView(&value, 1, -2, 2), InputError);
  EXPECT_TRUE(ImageView(nullptr, 0, 4).empty());
}

TEST(Views, TheOutputMustHaveTheCamerasSizes) {
  const Shot shot;
  std::vector<float> memory(kBands * kSide * kSide);
  Reconstructor method = solver();
  const auto error = testing::error_of<InputError>(
      [&] { method.reconstruct(shot.measurement, shot.camera, CubeView(memory.data(), kBands, kSide, kSide / 2)); });
  EXPECT_NE(error.find("6 bands of 64×64"), std::string::npos) << error;
  Cube other(1, 2, 3);
  method.reconstruct(shot.measurement, shot.camera, other);  // a Cube gets them
  EXPECT_EQ(other.bands(), kBands);
  EXPECT_EQ(other.width(), kSide);
}

}  // namespace
}  // namespace snapcube
