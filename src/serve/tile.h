#pragma once
// Squares of a plane at the resolution that is shown.
//
// Level 0 is the plane itself; a pixel of level k is the mean of 2^k × 2^k pixels of it (of those that exist, at the
// right and at the bottom). A level of h × w pixels is cut into tiles of kTile × kTile; the last ones are smaller.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

inline constexpr int kTile = 256;

struct TileAddress {
  int level = 0;
  int x = 0;
  int y = 0;
};

/// The first level that fits into one tile.
int last_level(int height, int width);

/// The pixels of a tile, in its level; empty (height or width 0) if it does not exist.
Region tile_region(int height, int width, const TileAddress& address);

/// Gives the address of row y of channel c, valid until the next call for the same channel.
using RowOf = std::function<const float*(int channel, int y)>;

/// Reads the rows it needs and returns the tile's values times `unit` as 16-bit floats in the machine's order
/// (little-endian), the channels of a pixel beside each other. Values beyond the type's range are clipped.
std::string half_tile(int height, int width, int channels, const RowOf& row, const TileAddress& address, float unit);

}  // namespace snapcube
