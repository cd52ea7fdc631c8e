#include "engine/screening.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace snapcube::engine {

namespace {

/// Of the published inference with randomly kept windows: the reference network draws from it too.
constexpr std::uint32_t kRandomSeed = 20221;

double score(const Plane& mask, int top, int left, int size) {
  double sum = 0;
  for (int r = 0; r < size; ++r) {
    const float* row = mask.row((top + r) % mask.height);
    for (int c = 0; c < size; ++c) sum += row[(left + c) % mask.width];
  }
  // A float, as the reference has it: scores that differ by less are equal there too.
  return static_cast<double>(static_cast<float>(sum / (static_cast<double>(size) * size)));
}

}  // namespace

void pool(const Plane& from, Plane& to) {
  for (int y = 0; y < to.height; ++y) {
    const float* a = from.row(2 * y);
    const float* b = from.row(2 * y + 1);
    float* out = to.row(y);
    for (int x = 0; x < to.width; ++x) out[x] = (a[2 * x] + a[2 * x + 1] + b[2 * x] + b[2 * x + 1]) / 4;
  }
}

void kept_windows(const ModelConfig& config, const Plane& mask, int height, int width, int shift, WindowScores& room,
                  std::vector<int>& kept) {
  const int across = width / config.window;
  const int windows = height / config.window * across;
  const auto k = static_cast<std::size_t>(config.kept_windows(windows));
  const auto n = static_cast<std::size_t>(windows);
  room.score.resize(n);
  room.order.resize(n);
  std::mt19937 generator(kRandomSeed);
  for (int w = 0; w < windows; ++w) {
    double& s = room.score[static_cast<std::size_t>(w)];
    switch (config.screening) {
      case Screening::estimator:
        s = score(mask, w / across * config.window + shift, w % across * config.window + shift, config.window);
        if (std::isnan(s)) s = -std::numeric_limits<double>::infinity();  // weights gone wrong; still an order
        break;
      case Screening::random:
        s = -static_cast<double>(generator() & 0xFFFFFF);
        break;
      case Screening::uniform:
        s = (w / across + w % across) % 2 == 0 ? 1 : 0;
        break;
      case Screening::none:
        s = 0;
        break;
    }
  }
  std::iota(room.order.begin(), room.order.end(), 0);
  const auto better = [&](int a, int b) {
    const double first = room.score[static_cast<std::size_t>(a)];
    const double second = room.score[static_cast<std::size_t>(b)];
    return first != second ? first > second : a < b;
  };
  std::sort(room.order.begin(), room.order.end(), better);
  kept.assign(room.order.begin(), room.order.begin() + static_cast<std::ptrdiff_t>(k));
  std::sort(kept.begin(), kept.end());
}

}  // namespace snapcube::engine
