// The colour chart: 4 rows of 6 patches and a strip of narrow bands in a dark frame, slightly
// turned.

#include <algorithm>
#include <cmath>

#include "optics/scene_mixing.h"
#include "optics/scene_noise.h"

namespace snapcube {
namespace {

constexpr int kColumns = 6;
constexpr int kRows = 4;
constexpr int kStripes = 12;
constexpr double kCell = 0.292;   // from patch to patch
constexpr double kPatch = 0.246;  // side of a patch
constexpr double kStrip = 0.13;   // height of the strip
constexpr double kHalfWidth = 0.93;
constexpr double kTop = -0.75;  // of the patches; the strip follows below them
constexpr double kBottom = kTop + kRows * kCell + 0.03 + kStrip;

}  // namespace

Cube make_chart(const SceneOptions& options) {
  Random random(options.seed);
  std::vector<Spectrum> spectra;
  for (const NamedSpectrum& patch : chart_spectra()) spectra.push_back(patch.spectrum.varied(random));
  const int first_stripe = static_cast<int>(spectra.size());
  for (int i = 0; i < kStripes; ++i) spectra.push_back(narrow_band(430 + 20.0 * i + random.uniform(-2, 2)));
  const int frame = static_cast<int>(spectra.size());
  spectra.push_back({0.05, {}, {}});
  const int line = frame + 1;
  spectra.push_back({0.5, {}, {}});
  const int ground = frame + 2;
  spectra.push_back({0.03, {{560, 50, 0.012}}, {}});

  // A turn by atan(t), from a rational expression: no libm in what decides where an edge lies.
  const double t = random.uniform(-0.03, 0.03);
  const double cosine = (1 - t * t / 4) / (1 + t * t / 4);
  const double sine = t / (1 + t * t / 4);
  const double dx = random.uniform(-0.02, 0.02);
  const double dy = random.uniform(-0.02, 0.02) - 0.5 * (kTop + kBottom);
  const std::uint64_t seed = random.bits();

  return mix_points(options, spectra, [=](double u, double v, int, PointWeights& point) {
    const double x = cosine * (u - dx) + sine * (v - dy);
    const double y = -sine * (u - dx) + cosine * (v - dy);
    // A lamp up left.
    const double ru = u + 0.5;
    const double rv = v + 0.6;
    const double light = 1.02 / (1 + 0.075 * (ru * ru + rv * rv));
    const double edge = std::max({std::fabs(x) - kHalfWidth, kTop - 0.05 - y, y - kBottom - 0.05});
    if (edge > 0) {
      // The table, darker beside the chart.
      const double shade = 0.45 + 0.55 * smooth_step(0, 0.06, edge);
      point.add(ground, light * shade * (0.7 + 0.6 * cloud_noise(9 * u, 60 * v, 3, seed)));
      return;
    }
    if (edge > -0.012 && edge < -0.004) {
      point.add(line, light);
      return;
    }
    const double column = (x + kColumns * kCell / 2) / kCell;
    const double row = (y - kTop) / kCell;
    if (column >= 0 && column < kColumns && row >= 0 && row < kRows) {
      const double half = 0.5 * kPatch / kCell;
      if (std::fabs(column - std::floor(column) - 0.5) < half && std::fabs(row - std::floor(row) - 0.5) < half) {
        point.add(static_cast<int>(row) * kColumns + static_cast<int>(column), light);
        return;
      }
    }
    const double stripe = (x + kColumns * kCell / 2) / (kColumns * kCell) * kStripes;
    const double below = y - (kBottom - kStrip);
    if (stripe >= 0 && stripe < kStripes && below > 0 && below < kStrip - 0.02 &&
        std::fabs(stripe - std::floor(stripe) - 0.5) < 0.42) {
      point.add(first_stripe + static_cast<int>(stripe), light);
      return;
    }
    point.add(frame, light);
  });
}

}  // namespace snapcube
