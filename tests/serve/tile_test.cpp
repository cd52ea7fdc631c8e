#include "serve/tile.h"

#include <cmath>
#include <cstring>

#include "io/half.h"
#include "support.h"

namespace snapcube {
namespace {

std::vector<float> values(const std::string& bytes) {
  std::vector<float> result;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + i, 2);
    result.push_back(float_from_half(half));
  }
  return result;
}

std::vector<float> tile_of(const Image& image, const TileAddress& address, float unit = 1) {
  const auto row = [&](int, int y) { return image.row(y); };
  return values(half_tile(image.height(), image.width(), 1, row, address, unit));
}

TEST(Tile, LevelsEndWhereOneTileHoldsAll) {
  EXPECT_EQ(last_level(1, 1), 0);
  EXPECT_EQ(last_level(256, 256), 0);
  EXPECT_EQ(last_level(257, 1), 1);
  EXPECT_EQ(last_level(512, 513), 2);
  EXPECT_EQ(last_level(2704, 3376), 4);
}

TEST(Tile, RegionsCoverALevel) {
  for (const auto& [height, width] : {std::pair{1, 1}, {13, 600}, {257, 256}, {1000, 3}}) {
    for (int level = 0; level <= last_level(height, width); ++level) {
      const int rows = (height + (1 << level) - 1) >> level;
      const int columns = (width + (1 << level) - 1) >> level;
      int covered = 0;
      for (int y = 0; y < 5; ++y) {
        for (int x = 0; x < 5; ++x) {
          const Region r = tile_region(height, width, {level, x, y});
          covered += r.height * r.width;
        }
      }
      EXPECT_EQ(covered, rows * columns) << height << "x" << width << " level " << level;
    }
  }
}

TEST(Tile, OthersDoNotExist) {
  for (const TileAddress& a : {TileAddress{-1, 0, 0}, {5, 0, 0}, {0, 14, 0}, {0, 0, 11}, {0, -1, 0}, {4, 1, 0}}) {
    EXPECT_EQ(tile_region(2704, 3376, a).height, 0) << a.level << " " << a.x << " " << a.y;
  }
}

TEST(Tile, LevelZeroIsThePlane) {
  const Image image = testing::random_image(300, 270, 1);
  const std::vector<float> tile = tile_of(image, {0, 1, 1});
  ASSERT_EQ(tile.size(), 44u * 14u);
  for (int y = 0; y < 44; ++y) {
    for (int x = 0; x < 14; ++x) EXPECT_NEAR(tile[y * 14 + x], image(256 + y, 256 + x), 0.5f / 2048);
  }
}

TEST(Tile, ALevelIsTheMeanOfBlocks) {
  // 257 = 4·64 + 1: the last blocks are one pixel wide.
  const Image image = testing::random_image(13, 1025, 2);
  const std::vector<float> tile = tile_of(image, {3, 0, 0});
  ASSERT_EQ(tile.size(), 2u * 129u);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 129; ++x) {
      double sum = 0;
      int count = 0;
      for (int r = 8 * y; r < std::min(13, 8 * y + 8); ++r) {
        for (int c = 8 * x; c < std::min(1025, 8 * x + 8); ++c) sum += image(r, c), ++count;
      }
      EXPECT_NEAR(tile[y * 129 + x], sum / count, 0.5 / 2048) << y << " " << x;
    }
  }
}

TEST(Tile, UnitsKeepValuesInTheRangeOfHalves) {
  Image image(1, 3);
  image(0, 0) = 1e6f;
  image(0, 1) = -3e5f;
  image(0, 2) = 1e9f;
  const std::vector<float> tile = tile_of(image, {0, 0, 0}, 0x1p-20f);
  EXPECT_NEAR(tile[0], 1e6 * 0x1p-20, 1e-3);
  EXPECT_NEAR(tile[1], -3e5 * 0x1p-20, 1e-3);
  EXPECT_NEAR(tile[2], 1e9 * 0x1p-20, 1);
  EXPECT_EQ(tile_of(image, {0, 0, 0})[2], 65504) << "clipped, not infinite";
}

TEST(Tile, ChannelsLieBesideEachOther) {
  const std::vector<std::vector<float>> rows = {{1, 2}, {3, 4}, {5, 6}};
  const auto row = [&](int c, int) { return rows[c].data(); };
  EXPECT_EQ(values(half_tile(1, 2, 3, row, {0, 0, 0}, 1)), (std::vector<float>{1, 3, 5, 2, 4, 6}));
}

}  // namespace
}  // namespace snapcube
