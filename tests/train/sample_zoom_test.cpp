#include "train/sample_zoom.h"

#include <algorithm>
#include <cmath>

#include "support.h"
#include "train/scenes.h"

namespace snapcube {
namespace {

using testing::CodedScenes;
using testing::small_config;

TEST(Zoom, OfOneChangesNothing) {
  const FloatBuffer plane{0.1f, 0.9f, 0.3f, 0.0f, 1.0f, 0.5f};
  FloatBuffer out(6);
  FloatBuffer work;
  enlarge(plane.data(), 2, 3, 1, 2, 3, out.data(), 3, work);
  EXPECT_EQ(out, plane);
}

TEST(Zoom, KeepsParabolasAwayFromTheEdges) {
  constexpr int kRows = 12;
  constexpr int kColumns = 15;
  const auto f = [](double y, double x) { return 0.2 + 0.03 * y - 0.01 * x + 0.001 * y * x + 0.002 * x * x; };
  FloatBuffer plane;
  for (int y = 0; y < kRows; ++y) {
    for (int x = 0; x < kColumns; ++x) plane.push_back(static_cast<float>(f(y, x)));
  }
  for (const double zoom : {1.1, 1.5, 2.0, 3.7}) {
    const int height = static_cast<int>(kRows * zoom);
    const int width = static_cast<int>(kColumns * zoom);
    const int stride = width + 3;
    FloatBuffer out(static_cast<std::size_t>(height * stride), -1.0f);
    FloatBuffer work;
    enlarge(plane.data(), kRows, kColumns, zoom, height, width, out.data(), stride, work);
    int compared = 0;
    for (int y = 0; y < height; ++y) {
      EXPECT_EQ(out[static_cast<std::size_t>(y * stride + width)], -1.0f);
      for (int x = 0; x < width; ++x) {
        const double v = (y + 0.5) / zoom - 0.5;
        const double u = (x + 0.5) / zoom - 0.5;
        if (v < 1 || u < 1 || v > kRows - 3 || u > kColumns - 3) continue;
        EXPECT_NEAR(out[static_cast<std::size_t>(y * stride + x)], f(v, u), 1e-6);
        ++compared;
      }
    }
    EXPECT_GT(compared, 80);
  }
}

TEST(Zoom, StaysBetweenBlackAndWhite) {
  const FloatBuffer plane{0, 0, 1, 1, 0, 0};  // the cubic itself overshoots at such an edge
  FloatBuffer out(12);
  FloatBuffer work;
  enlarge(plane.data(), 1, 6, 2, 1, 12, out.data(), 12, work);
  for (const float v : out) {
    EXPECT_GE(v, 0);
    EXPECT_LE(v, 1);
  }
  EXPECT_GT(out[5], 0.9f);
}

TEST(Zoom, OfSamplesTakesEverySecondCropAndFactorsUpToTheLargest) {
  const CodedScenes scenes;  // values rise linearly along rows and columns
  TrainConfig config = small_config();
  config.plain = 1;
  config.batch = 400;
  config.zoom = 2;
  const Batch batch = make_batch(config, scenes, 0);
  int as_they_are = 0;
  double least = 9;
  double most = 0;
  for (int i = 0; i < batch.size; ++i) {
    const auto at = [&](int y, int x) {
      return batch.truth[(static_cast<std::size_t>(i) * batch.bands * batch.height + y) * batch.width + x] * 65535.0;
    };
    const double down = std::abs(at(6, 5) - at(5, 5));
    const double right = std::abs(at(5, 6) - at(5, 5));
    EXPECT_NEAR(std::abs(at(5, 5) - at(4, 5)), down, 0.05) << "a straight line";
    // One step along a row of the scene changes its code by the number of scenes.
    const double zoom = CodedScenes::kScenes / std::min(down, right);
    as_they_are += std::abs(zoom - 1) < 1e-3;
    least = std::min(least, zoom);
    most = std::max(most, zoom);
  }
  EXPECT_GT(as_they_are, 150);
  EXPECT_LT(as_they_are, 250);
  EXPECT_GT(least, 0.99);
  EXPECT_LT(most, 2.01);
  EXPECT_GT(most, 1.9);
}

}  // namespace
}  // namespace snapcube
