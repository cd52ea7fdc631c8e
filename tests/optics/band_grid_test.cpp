#include "optics/band_grid.h"

#include <gtest/gtest.h>

namespace snapcube {
namespace {

/// matrix · values
std::vector<double> times(const std::vector<float>& matrix, const std::vector<double>& values) {
  std::vector<double> result(matrix.size() / values.size());
  for (std::size_t r = 0; r < result.size(); ++r) {
    for (std::size_t c = 0; c < values.size(); ++c) result[r] += matrix[r * values.size() + c] * values[c];
  }
  return result;
}

TEST(BandGrid, IsNothingForEvenBandsOfTheSameNumber) {
  std::vector<double> positions;
  for (int b = 0; b < 28; ++b) positions.push_back(2 * b);
  EXPECT_TRUE(band_grid(positions, 28).is_identity);
  EXPECT_FALSE(band_grid(positions, 24).is_identity);
  positions[5] += 0.5;
  EXPECT_FALSE(band_grid(positions, 28).is_identity);
}

TEST(BandGrid, KeepsWhatIsLinearInThePosition) {
  for (const std::vector<double>& positions :
       {std::vector<double>{0, 1, 4, 9, 16}, std::vector<double>{16, 9, 4, 1, 0}, std::vector<double>{3, 5}}) {
    const BandGrid grid = band_grid(positions, 7);
    const auto channels = times(grid.to_channels, positions);
    const double step = (positions.back() - positions.front()) / 6;
    for (std::size_t c = 0; c < 7; ++c)
      EXPECT_NEAR(channels[c], positions.front() + step * static_cast<double>(c), 1e-5);
    const auto back = times(grid.to_bands, channels);
    for (std::size_t b = 0; b < positions.size(); ++b) EXPECT_NEAR(back[b], positions[b], 1e-5);
  }
}

TEST(BandGrid, SpreadsBandsOfOnePlaceByTheirNumber) {
  const BandGrid grid = band_grid(std::vector<double>{4, 4, 4}, 5);
  const auto channels = times(grid.to_channels, {0, 1, 2});
  for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(channels[c], 0.5 * static_cast<double>(c), 1e-6);
  const BandGrid single = band_grid(std::vector<double>{0}, 3);
  EXPECT_EQ(times(single.to_channels, {2}), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(times(single.to_bands, {1, 2, 3}), (std::vector<double>{2}));
}

}  // namespace
}  // namespace snapcube
