#include "samples/mask_pool.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <snapcube/error.h>
#include <snapcube/io.h>

#include "samples/scenes.h"
#include "support.h"

namespace snapcube {
namespace {

using testing::error_of;
using testing::random_image;
using testing::TemporaryFolder;
using Kind = MaskSource::Kind;

/// The mask of number n.
Image draw(const MaskPool& pool, std::uint64_t n) {
  Random random(1, n);
  return pool.draw(random);
}

double mean(const Image& image) {
  return std::accumulate(image.values().begin(), image.values().end(), 0.0) / static_cast<double>(image.size());
}

bool same(const Image& a, const Image& b) {
  return a.height() == b.height() && a.width() == b.width() && std::ranges::equal(a.values(), b.values());
}

class MaskPoolTest : public ::testing::Test {
 protected:
  MaskPoolTest() { set_log_sink({}); }

  std::string file(const Image& mask) {
    const std::string path = folder_ / "mask.npy";
    write_mask(mask, path);
    return path;
  }
  TemporaryFolder folder_;
};

TEST_F(MaskPoolTest, AFileOfTheCropsSizeIsTakenAsItIs) {
  const Image mask = random_image(16, 16, 3);
  const MaskPool pool({{.file = file(mask)}}, 16, 16);
  for (int n = 0; n < 5; ++n) EXPECT_TRUE(same(draw(pool, n), mask));
}

TEST_F(MaskPoolTest, ALargerFileIsCropped) {
  // Each pixel tells its place.
  Image mask(9, 7);
  for (int i = 0; i < 63; ++i) mask.data()[i] = static_cast<float>(i) / 63;
  const MaskPool pool({{.file = file(mask)}}, 5, 5);
  std::set<std::pair<int, int>> corners;
  for (int n = 0; n < 300; ++n) {
    const Image crop = draw(pool, n);
    const int corner = static_cast<int>(std::lround(crop(0, 0) * 63));
    for (int y = 0; y < 5; ++y) {
      for (int x = 0; x < 5; ++x) ASSERT_EQ(crop(y, x), mask(corner / 7 + y, corner % 7 + x));
    }
    corners.insert({corner / 7, corner % 7});
  }
  EXPECT_EQ(corners.size(), 5u * 3u);
}

TEST_F(MaskPoolTest, FlipsGiveTheEightOrientations) {
  const Image mask = random_image(6, 6, 3);
  const MaskPool pool({{.file = file(mask), .flips = true}}, 6, 6);
  std::set<std::vector<float>> found;
  for (int n = 0; n < 200; ++n) {
    const Image turned = draw(pool, n);
    found.insert({turned.values().begin(), turned.values().end()});
  }
  std::set<std::vector<float>> expected;
  Image turned = mask;
  for (int k = 0; k < 4; ++k) {
    Image rotated(6, 6);
    std::vector<float> mirrored;
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 6; ++x) {
        rotated(y, x) = turned(5 - x, y);
        mirrored.push_back(turned(y, 5 - x));
      }
    }
    expected.insert({turned.values().begin(), turned.values().end()});
    expected.insert(mirrored);
    turned = rotated;
  }
  EXPECT_EQ(expected.size(), 8u);
  EXPECT_EQ(found, expected);
}

TEST_F(MaskPoolTest, MasksMayBeWiderThanHigh) {
  Image mask(6, 9);
  for (std::size_t i = 0; i < mask.size(); ++i) mask.data()[i] = static_cast<float>(i) / 64;
  const MaskPool pool({{.file = file(mask), .flips = true}}, 4, 5);
  std::set<std::pair<int, int>> steps;  // in the file, for one down and one right
  for (std::uint64_t n = 0; n < 200; ++n) {
    const Image drawn = draw(pool, n);
    ASSERT_EQ(drawn.height(), 4);
    ASSERT_EQ(drawn.width(), 5);
    const auto place = [&](int y, int x) { return static_cast<int>(std::lround(drawn(y, x) * 64)); };
    const int down = place(1, 0) - place(0, 0);
    const int right = place(0, 1) - place(0, 0);
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 5; ++x) EXPECT_EQ(place(y, x), place(0, 0) + y * down + x * right);
    }
    steps.insert({down, right});
  }
  EXPECT_EQ(steps,
            (std::set<std::pair<int, int>>{{9, 1}, {9, -1}, {-9, 1}, {-9, -1}, {1, 9}, {1, -9}, {-1, 9}, {-1, -9}}));
}

TEST_F(MaskPoolTest, RandomMasksHaveDensitiesOfTheirRange) {
  for (const Kind kind : {Kind::binary, Kind::grey}) {
    const MaskPool pool({{.kind = kind, .low = 0.2, .high = 0.7}}, 64, 64);
    double least = 1;
    double most = 0;
    for (int n = 0; n < 100; ++n) {
      const Image mask = draw(pool, n);
      least = std::min(least, mean(mask));
      most = std::max(most, mean(mask));
      const bool binary = std::ranges::all_of(mask.values(), [](float v) { return v == 0 || v == 1; });
      EXPECT_EQ(binary, kind == Kind::binary);
    }
    // Five standard errors of a mean over 4096 pixels are at most 0.04; 100 draws come close to both ends.
    EXPECT_GT(least, 0.2 - 0.04);
    EXPECT_LT(least, 0.2 + 0.08);
    EXPECT_GT(most, 0.7 - 0.08);
    EXPECT_LT(most, 0.7 + 0.04);
  }
}

TEST_F(MaskPoolTest, SourcesAreMixedByWeight) {
  const MaskPool pool({{.file = file(Image(random_image(8, 8, 1)))}, {.kind = Kind::binary, .weight = 3}}, 8, 8);
  int binary = 0;
  for (int n = 0; n < 400; ++n) {
    const Image mask = draw(pool, n);
    binary += std::ranges::all_of(mask.values(), [](float v) { return v == 0 || v == 1; });
  }
  EXPECT_NEAR(binary, 300, 45);
}

TEST_F(MaskPoolTest, BlurIsAGaussian) {
  Image point(41, 41);
  point(20, 20) = 1;
  const double sigma = 1.7;
  const Image spread = blurred(point, sigma);
  double total = 0;
  for (int k = -6; k <= 6; ++k) total += std::exp(-k * k / (2 * sigma * sigma));
  for (int y = -4; y <= 4; ++y) {
    for (int x = -4; x <= 4; ++x) {
      EXPECT_NEAR(spread(20 + y, 20 + x), std::exp(-(y * y + x * x) / (2 * sigma * sigma)) / (total * total), 1e-7);
    }
  }
  // A flat image stays flat, up to its border.
  const Image flat = blurred(Image(5, 9, 0.25f), 3);
  EXPECT_EQ(flat.width(), 9);
  for (const float v : flat.values()) EXPECT_NEAR(v, 0.25f, 1e-6f);
  EXPECT_TRUE(same(blurred(point, 0), point));
}

TEST_F(MaskPoolTest, BlurIsDrawnUpToItsLargest) {
  const Image mask = random_image(32, 32, 1);
  const MaskPool pool({{.file = file(mask), .blur = 2}}, 32, 32);
  // The wider the blur, the smaller the spread of values.
  const auto spread = [](const Image& image) {
    const double m = mean(image);
    double squares = 0;
    for (const float v : image.values()) squares += (v - m) * (v - m);
    return squares;
  };
  double least = 1e9;
  double most = 0;
  for (int n = 0; n < 100; ++n) {
    least = std::min(least, spread(draw(pool, n)));
    most = std::max(most, spread(draw(pool, n)));
  }
  EXPECT_GE(least, spread(blurred(mask, 2)));
  EXPECT_LT(least, spread(blurred(mask, 1.8)));
  EXPECT_LE(most, spread(mask));
  EXPECT_GT(most, spread(blurred(mask, 0.4)));
}

TEST_F(MaskPoolTest, RefusesWhatIsNoMask) {
  const auto message = [](const MaskSource& source, int crop = 16) {
    return error_of<InputError>([&] { MaskPool({source}, crop, crop); });
  };
  const std::string path = file(random_image(12, 20, 1));
  EXPECT_EQ(message({.file = path}), path + ": mask: expected at least 16×16, the crop, found 12×20");
  EXPECT_NE(message({.file = folder_ / "none.mat"}).find("none.mat"), std::string::npos);
  EXPECT_EQ(message({}), "training configuration: masks: file: expected the name of a mask file, found none");
  file(Image(16, 16, 0.5f));
  EXPECT_EQ(message({.file = path}).find(path + ": mask: expected a usable mask, found The mask is constant"), 0u);
  EXPECT_EQ(message({.kind = Kind::grey, .low = 0, .high = 1}),
            "training configuration: masks: low: expected a density between 0 and 1, found 0");
  EXPECT_EQ(message({.kind = Kind::binary, .low = 0.6, .high = 0.5}),
            "training configuration: masks: high: expected a density from that of 'low' to below 1, found 0.5");
  EXPECT_EQ(message({.kind = Kind::binary, .blur = -1}),
            "training configuration: masks: blur: expected 0 … 100 pixels, found -1");
  EXPECT_EQ(message({.kind = Kind::binary, .weight = NAN}),
            "training configuration: masks: weight: expected weights of at least 0, found nan");
}

}  // namespace
}  // namespace snapcube
