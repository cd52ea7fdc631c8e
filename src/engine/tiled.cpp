#include "engine/tiled.h"

#include <fmt/format.h>
#include <utility>

#include <snapcube/error.h>

namespace snapcube::engine {

TileAxis::TileAxis(int length, int tile, int unit) : size(std::min(tile, length)), length_(length) {
  const int step = std::max(unit, (size - kOverlap) / unit * unit);
  for (int start = 0;; start += step) {
    if (start + size >= length) {
      starts.push_back(length - size);
      return;
    }
    starts.push_back(start);
  }
}

double TileAxis::weight(std::size_t i, int at) const {
  const int start = starts[i];
  const int end = start + size;
  if (at < start || at >= end) return 0;
  const auto ramp = [](double distance) {
    return std::clamp((distance - kEdge) / static_cast<double>(kOverlap - 2 * kEdge), 0.0, 1.0);
  };
  const double before = start == 0 ? 1 : ramp(at - start + 0.5);
  const double behind = end == length_ ? 1 : ramp(end - at - 0.5);
  return std::min(before, behind);
}

double TileAxis::share(std::size_t i, int at) const {
  double sum = 0;
  for (std::size_t k = 0; k < starts.size(); ++k) sum += weight(k, at);
  return weight(i, at) / sum;
}

std::pair<int, int> TileAxis::core(std::size_t i) const {
  // Neighbours share the middle of their overlap, at a whole pixel of the coarsest map.
  const auto border = [&](std::size_t k) { return (starts[k] + starts[k - 1] + size) / 8 * 4; };
  return {i == 0 ? 0 : border(i), i + 1 == starts.size() ? length_ : border(i + 1)};
}

FrameSize tile_size(const CstNetwork& network, const FrameSize& frame, std::size_t max_bytes) {
  const int unit = network.config().size_multiple();
  const int bands = network.config().bands;
  const auto bytes = [&](int height, int width) {
    // A tile's result is kept beside the network's memory until it is blended.
    return network.bytes_for(height, width) +
           static_cast<std::size_t>(bands) * static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * 4;
  };
  // As many whole rows of the frame as fit, else squares.
  const int least = (kOverlap + unit + unit - 1) / unit * unit;
  FrameSize best{0, 0};
  for (int side = least; side < std::max(frame.height, frame.width) + unit; side += unit) {
    const FrameSize candidate{std::min(side, frame.height), std::min(side, frame.width)};
    if (bytes(candidate.height, candidate.width) <= max_bytes) best = candidate;
  }
  if (best.height == 0) {
    throw InputError("max_memory", "",
                     fmt::format("at least {} MB, for tiles of {}×{} pixels",
                                 (bytes(least, least) + 999'999) / 1'000'000, least, least),
                     fmt::format("{} MB", max_bytes / 1'000'000));
  }
  return best;
}

namespace {

class TiledRun {
 public:
  TiledRun(CstNetwork& network, const Frame& frame, const FrameSize& usable, const FrameSize& tile,
           const std::function<void(double)>& progress)
      : network_(network),
        frame_(frame),
        usable_(usable),
        rows_(usable.height, tile.height, network.config().size_multiple()),
        columns_(usable.width, tile.width, network.config().size_multiple()),
        progress_(progress) {}
  /// Leaves the network as it was, also when the run was stopped.
  ~TiledRun() {
    network_.set_progress({});
    for (int i = 0; i < network_.config().estimators; ++i) network_.pooled(i) = {};
  }
  TiledRun(const TiledRun&) = delete;
  TiledRun& operator=(const TiledRun&) = delete;

  TiledResult run(const CubeView& out) {
    const int estimators = network_.config().estimators;
    // An estimator is about a third of the network; the passes before the last are shares of that.
    passes_ = 0.2 * estimators + (network_.config().has_error_map() ? 0.35 : 0.0) + 1;
    for (int i = 0; i < estimators; ++i) take_means(i);
    if (network_.config().has_error_map()) take_error_map();
    select_windows();
    reconstruct(out);
    return std::move(result_);
  }

 private:
  template <typename F>
  void each_tile(double weight, const F& f) {
    const double before = done_;
    const auto count = static_cast<double>(rows_.starts.size() * columns_.starts.size());
    double tile = 0;
    for (std::size_t i = 0; i < rows_.starts.size(); ++i) {
      for (std::size_t j = 0; j < columns_.starts.size(); ++j, ++tile) {
        network_.set_progress([&, tile](double share) {
          if (progress_) progress_((before + weight * (tile + share) / count) / passes_);
        });
        f(i, j, Tile{rows_.starts[i], columns_.starts[j], rows_.size, columns_.size, nullptr});
        if (progress_) progress_((before + weight * (tile + 1) / count) / passes_);
      }
    }
    done_ = before + weight;
  }

  void take_means(int estimator) {
    PooledView& pooled = network_.pooled(estimator);
    pooled = {};
    std::vector<double> sums;
    each_tile(0.2, [&](std::size_t i, std::size_t j, const Tile& tile) {
      const auto [top, bottom] = rows_.core(i);
      const auto [left, right] = columns_.core(j);
      pooled.part = {(top - tile.top) / 4, (left - tile.left) / 4, (bottom - top) / 4, (right - left) / 4};
      network_.run_to_means(frame_, tile, estimator);
      sums.resize(pooled.sums.size());
      for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += pooled.sums[c];
    });
    const double pixels = static_cast<double>(usable_.height / 4) * (usable_.width / 4);
    for (std::size_t c = 0; c < sums.size(); ++c) pooled.means[c] = static_cast<float>(sums[c] / pixels);
    pooled.given = true;
  }

  void take_error_map() {
    result_.error_map = Plane(usable_.height, usable_.width);
    each_tile(0.35, [&](std::size_t i, std::size_t j, const Tile& tile) {
      network_.run_estimators(frame_, tile);
      const auto [top, bottom] = rows_.core(i);
      const auto [left, right] = columns_.core(j);
      for (int y = top; y < bottom; ++y) {
        std::copy_n(network_.error_map().row(y - tile.top) + left - tile.left, right - left,
                    result_.error_map.row(y) + left);
      }
    });
  }

  void select_windows() {
    Plane masks[3];
    for (int s = 0; s < 3 && network_.config().has_error_map(); ++s) {
      masks[s] = Plane(usable_.height >> s, usable_.width >> s);
      if (s == 0) {
        masks[0] = result_.error_map;
      } else {
        pool(masks[s - 1], masks[s]);
      }
    }
    WindowScores room;
    for (const auto& [stage, shift] : network_.block_places()) {
      result_.windows.emplace_back();
      kept_windows(network_.config(), masks[stage], usable_.height >> stage, usable_.width >> stage, shift, room,
                   result_.windows.back());
    }
  }

  /// The frame's kept windows that lie in a tile, counted as the tile counts.
  std::vector<std::vector<int>> windows_in(const Tile& tile) const {
    std::vector<std::vector<int>> inside;
    const auto places = network_.block_places();
    const int window = network_.config().window;
    for (std::size_t b = 0; b < places.size(); ++b) {
      const int stage = places[b].stage;
      const int across = (usable_.width >> stage) / window;
      const int own_across = (tile.width >> stage) / window;
      const int own_down = (tile.height >> stage) / window;
      inside.emplace_back();
      for (const int w : result_.windows[b]) {
        const int row = w / across - (tile.top >> stage) / window;
        const int column = w % across - (tile.left >> stage) / window;
        if (row < 0 || column < 0 || row >= own_down || column >= own_across) continue;
        inside.back().push_back(row * own_across + column);
      }
    }
    return inside;
  }

  void reconstruct(const CubeView& out) {
    for (int b = 0; b < out.bands(); ++b) {
      for (int y = 0; y < out.height(); ++y) std::fill_n(out.row(b, y), out.width(), 0.0f);
    }
    Cube part(out.bands(), rows_.size, columns_.size);
    each_tile(1, [&](std::size_t i, std::size_t j, Tile tile) {
      const auto windows = windows_in(tile);
      tile.windows = &windows;
      network_.run(frame_, tile, part);
      std::vector<float> across;
      const int width = std::min(tile.width, out.width() - tile.left);
      const int height = std::min(tile.height, out.height() - tile.top);
      for (int x = 0; x < width; ++x) across.push_back(static_cast<float>(columns_.share(j, tile.left + x)));
#pragma omp parallel for schedule(static)
      for (int y = 0; y < height; ++y) {
        const auto down = static_cast<float>(rows_.share(i, tile.top + y));
        for (int b = 0; b < out.bands(); ++b) {
          const float* from = part.row(b, y);
          float* to = out.row(b, tile.top + y) + tile.left;
          for (int x = 0; x < width; ++x) to[x] += down * across[static_cast<std::size_t>(x)] * from[x];
        }
      }
    });
  }

  CstNetwork& network_;
  const Frame& frame_;
  FrameSize usable_;
  TileAxis rows_;
  TileAxis columns_;
  const std::function<void(double)>& progress_;
  double passes_ = 1;
  double done_ = 0;
  TiledResult result_;
};

}  // namespace

TiledResult run_tiled(CstNetwork& network, const Frame& frame, const FrameSize& usable, const FrameSize& tile,
                      int threads, const std::function<void(double)>& progress, const CubeView& out) {
  network.prepare(std::min(tile.height, usable.height), std::min(tile.width, usable.width), threads);
  return TiledRun(network, frame, usable, tile, progress).run(out);
}

}  // namespace snapcube::engine
