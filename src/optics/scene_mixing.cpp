#include "optics/scene_mixing.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"

namespace snapcube {

Cube mix_rows(const SceneOptions& options, const std::vector<Spectrum>& spectra,
              const std::function<void(int y, RowWeights&)>& paint) {
  const int bands = static_cast<int>(options.wavelengths.size());
  const int materials = static_cast<int>(spectra.size());
  std::vector<double> reflectance;  // band after band
  for (const double nm : options.wavelengths) {
    for (const Spectrum& s : spectra) reflectance.push_back(s.at(nm));
  }
  Cube cube(bands, options.height, options.width);
  cube.wavelengths = options.wavelengths;
  struct Scratch {
    RowWeights weights;
    std::vector<int> present;
    std::vector<double> sum;
  };
  const auto make_scratch = [&] {
    return Scratch{RowWeights(materials, options.width), {}, std::vector<double>(options.width)};
  };
  parallel_for(options.height, make_scratch, [&](std::int64_t row, Scratch& scratch) {
    const int y = static_cast<int>(row);
    auto& [weights, present, sum] = scratch;
    weights.clear();
    paint(y, weights);
    present.clear();
    for (int m = 0; m < materials; ++m) {
      const double* w = weights.of(m);
      if (std::any_of(w, w + options.width, [](double v) { return v != 0; })) present.push_back(m);
    }
    for (int b = 0; b < bands; ++b) {
      std::ranges::fill(sum, 0.0);
      for (const int m : present) {
        const double r = reflectance[static_cast<std::size_t>(b) * spectra.size() + static_cast<std::size_t>(m)];
        const double* w = weights.of(m);
        for (int x = 0; x < options.width; ++x) sum[static_cast<std::size_t>(x)] += r * w[x];
      }
      float* out = cube.row(b, y);
      for (int x = 0; x < options.width; ++x) {
        const double clipped = std::clamp(sum[static_cast<std::size_t>(x)], 0.0, 1.0);
        out[x] = static_cast<float>(std::floor(clipped * 65536 + 0.5) / 65536);
      }
    }
  });
  return cube;
}

Cube mix_points(const SceneOptions& options, const std::vector<Spectrum>& spectra, const PointPainter& paint) {
  const double pixel = 2.0 / std::min(options.height, options.width);
  constexpr double kShare = 1.0 / (kSamplesPerSide * kSamplesPerSide);
  return mix_rows(options, spectra, [&](int y, RowWeights& row) {
    for (int x = 0; x < options.width; ++x) {
      for (int i = 0; i < kSamplesPerSide * kSamplesPerSide; ++i) {
        const int across = i % kSamplesPerSide;
        const int down = i / kSamplesPerSide;
        const double u = (x + (across + 0.5) / kSamplesPerSide - 0.5 * options.width) * pixel;
        const double v = (y + (down + 0.5) / kSamplesPerSide - 0.5 * options.height) * pixel;
        PointWeights point;
        paint(u, v, i, point);
        for (const auto& entry : point) row.add(entry.material, x, kShare * entry.weight);
      }
    }
  });
}

}  // namespace snapcube
