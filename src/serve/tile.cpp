#include "serve/tile.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/half.h"

namespace snapcube {

static_assert(std::endian::native == std::endian::little);

namespace {

constexpr float kLargestHalf = 65504;

int reduced(int size, int level) {
  return static_cast<int>((static_cast<std::int64_t>(size) + (std::int64_t{1} << level) - 1) >> level);
}

}  // namespace

int last_level(int height, int width) {
  int level = 0;
  while (reduced(std::max(height, width), level) > kTile) ++level;
  return level;
}

Region tile_region(int height, int width, const TileAddress& address) {
  if (address.level < 0 || address.level > last_level(height, width) || address.x < 0 || address.y < 0) return {};
  const int rows = reduced(height, address.level);
  const int columns = reduced(width, address.level);
  if (address.y > (rows - 1) / kTile || address.x > (columns - 1) / kTile) return {};
  const int top = address.y * kTile;
  const int left = address.x * kTile;
  return {top, left, std::min(kTile, rows - top), std::min(kTile, columns - left)};
}

std::string half_tile(int height, int width, int channels, const RowOf& row, const TileAddress& address, float unit) {
  const Region tile = tile_region(height, width, address);
  const int block = 1 << address.level;
  std::string bytes(std::size_t{2} * tile.height * tile.width * channels, '\0');
  std::vector<double> sums(static_cast<std::size_t>(tile.width));
  for (int y = 0; y < tile.height; ++y) {
    const int first = (tile.top + y) * block;
    const int last = std::min(first + block, height);
    for (int c = 0; c < channels; ++c) {
      std::ranges::fill(sums, 0.0);
      for (int r = first; r < last; ++r) {
        const float* in = row(c, r);
        for (int x = 0; x < tile.width; ++x) {
          const int begin = (tile.left + x) * block;
          const int end = std::min(begin + block, width);
          float sum = 0;
          for (int i = begin; i < end; ++i) sum += in[i];
          sums[static_cast<std::size_t>(x)] += sum;
        }
      }
      for (int x = 0; x < tile.width; ++x) {
        const int begin = (tile.left + x) * block;
        const double count = static_cast<double>(last - first) * (std::min(begin + block, width) - begin);
        const auto mean = static_cast<float>(sums[static_cast<std::size_t>(x)] / count) * unit;
        const std::uint16_t half = half_from_float(std::clamp(mean, -kLargestHalf, kLargestHalf));
        const std::size_t at = (static_cast<std::size_t>(y) * tile.width + x) * channels + c;
        std::memcpy(bytes.data() + 2 * at, &half, 2);
      }
    }
  }
  return bytes;
}

}  // namespace snapcube
