#pragma once
// A frame that is too large for the memory: tiles that overlap and are blended. What concerns the whole frame is
// computed for the whole frame first (the estimators' pooled means, the error map, and from it the windows that
// attention keeps); each tile then runs with it. docs/engine.md says what still differs from a run in one piece.

#include <functional>

#include "engine/cst_network.h"

namespace snapcube::engine {

/// One axis cut into tiles: where they start, and each one's weight at every position.
struct TileAxis {
  int size = 0;  ///< of a tile
  std::vector<int> starts;

  /// Tiles of `size` over `length`, both multiples of `unit`; neighbours share at least kOverlap.
  TileAxis(int length, int size, int unit);
  /// The share of tile i in the result at position `at` of the frame: 0 near an edge that another tile covers, then
  /// rising. The shares of all tiles add up to 1.
  double share(std::size_t i, int at) const;
  /// The part of tile i, in the frame, that belongs to no other tile: the axis is divided among them.
  std::pair<int, int> core(std::size_t i) const;

 private:
  double weight(std::size_t i, int at) const;
  int length_ = 0;
};

/// Pixels that neighbouring tiles share at least, of which the outer kEdge are not used.
constexpr int kOverlap = 192;
constexpr int kEdge = 64;

struct TiledResult {
  Plane error_map;                        ///< M_s of the frame at its usable size; empty without one
  std::vector<std::vector<int>> windows;  ///< kept, for every block, of the frame
};

/// The size of the tiles, so that the network on one stays below max_bytes. Throws InputError when no size is small
/// enough.
FrameSize tile_size(const CstNetwork& network, const FrameSize& frame, std::size_t max_bytes);

/// Fills `out` (bands × frame.height() × frame.width()) with tiles of `tile`. progress as CstNetwork::set_progress.
TiledResult run_tiled(CstNetwork& network, const Frame& frame, const FrameSize& usable, const FrameSize& tile,
                      int threads, const std::function<void(double)>& progress, const CubeView& out);

}  // namespace snapcube::engine
