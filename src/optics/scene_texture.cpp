// A board of nine swatches, each with a pattern and spectra of its own; the board repeats beyond
// the square.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "optics/scene_mixing.h"
#include "optics/scene_noise.h"

namespace snapcube {
namespace {

/// Two materials mixed, then shaded.
struct Surface {
  int first;
  int second;
  double share;  // of the second
  double shade;
};

double wave(double x) { return std::sin(2 * std::numbers::pi * x); }
double fraction(double x) { return x - std::floor(x); }
bool odd(double x) { return (static_cast<std::int64_t>(std::floor(x)) & 1) != 0; }

/// Threads over and under: a rounded profile along each thread, dark where it dives under another.
double weave(double s, double t, double threads) {
  const bool over = odd(s * threads) != odd(t * threads);
  const double across = fraction(over ? s * threads : t * threads) - 0.5;
  const double along = fraction(over ? t * threads : s * threads) - 0.5;
  return (1 - 2.2 * across * across) * (1 - 1.1 * along * along);
}

// Each swatch: (s, t) in [0,1]², first and second are its two materials.
using Pattern = Surface (*)(double s, double t, int material, std::uint64_t seed);

Surface tartan(double s, double t, int m, std::uint64_t) {
  const bool over = odd(s * 24) != odd(t * 24);
  const double along = over ? s : t;
  const double f = fraction(along * 3 + 0.2);
  const bool second = f < 0.34 || (f > 0.55 && f < 0.60) || (f > 0.74 && f < 0.79);
  return {m, m + 1, second ? 1.0 : 0.0, 0.55 + 0.5 * weave(s, t, 24)};
}

Surface wood(double s, double t, int m, std::uint64_t seed) {
  const double dx = (s - 0.32) * 1.1 + 0.08 * cloud_noise(3 * s, 3 * t, 3, seed);
  const double dy = (t + 0.25) * 0.42 + 0.05 * cloud_noise(4 * s, 2 * t, 3, seed + 9);
  const double ring = fraction(26 * std::sqrt(dx * dx + dy * dy));
  const double late = smooth_step(0.2, 0.9, ring) * (1 - smooth_step(0.93, 1.0, ring));
  const double fibre = cloud_noise(130 * s, 9 * t, 2, seed + 5);
  return {m, m + 1, 0.75 * late, 0.82 + 0.36 * (fibre - 0.5)};
}

Surface checker(double s, double t, int m, std::uint64_t seed) {
  constexpr double kTiles = 6;
  const double x = s * kTiles;
  const double y = t * kTiles;
  const double border = std::min({fraction(x), fraction(y), 1 - fraction(x), 1 - fraction(y)});
  const double tone = lattice_noise(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y), seed);
  const double glaze = 0.78 + 0.3 * tone - 0.18 * (fraction(x) - 0.5) - 0.14 * (fraction(y) - 0.5);
  return {m, m + 1, odd(x) != odd(y) ? 1.0 : 0.0, glaze * (0.25 + 0.75 * smooth_step(0.02, 0.06, border))};
}

Surface marble(double s, double t, int m, std::uint64_t seed) {
  const double swirl = cloud_noise(4 * s, 4 * t, 5, seed) - 0.5;
  const double fine = cloud_noise(9 * s + 4 * swirl, 9 * t, 4, seed + 7) - 0.5;
  const double vein = 1 - std::min(1.0, 9 * std::fabs(swirl + 0.25 * (s + t - 1)) / (1 + 2 * fine));
  const double hair = 1 - std::min(1.0, 22 * std::fabs(fine));
  return {m, m + 1, std::clamp(0.85 * vein * vein + 0.45 * hair, 0.0, 1.0), 0.85 + 0.3 * swirl};
}

Surface denim(double s, double t, int m, std::uint64_t seed) {
  // Twill: the diagonal where the white weft shows between blue warps.
  const double warp = s * 36;
  const double diagonal = fraction((s * 36 + t * 36) / 3);
  const double slub = 0.75 + 0.5 * smooth_noise(std::floor(warp), 6 * t, seed);
  const double white = smooth_step(0.60, 0.80, diagonal) * (1 - smooth_step(0.88, 1.0, diagonal));
  const double worn = smooth_step(0.45, 0.8, cloud_noise(3 * s, 3 * t, 3, seed + 3));
  return {m, m + 1, std::clamp(0.55 * white + 0.28 * worn, 0.0, 1.0), slub * (0.8 + 0.2 * wave(warp))};
}

Surface granite(double s, double t, int m, std::uint64_t seed) {
  const CellNoise grain = cell_noise(24 * s, 24 * t, seed);
  const CellNoise speck = cell_noise(36 * s, 36 * t, seed + 11);
  const double dark = speck.id < 0.16 && speck.nearest < 0.42 ? 0.16 : 1.0;
  return {m, m + 1, grain.id < 0.45 ? 0.0 : 1.0, dark * (0.68 + 0.36 * fraction(7 * grain.id))};
}

Surface knit(double s, double t, int m, std::uint64_t seed) {
  // Columns of V-shaped stitches in stripes of two wools.
  const double column = fraction(s * 15) - 0.5;
  const double row = t * 20 - 0.9 * std::fabs(column) * 2;
  const double stitch = 1 - 3.0 * (fraction(row) - 0.5) * (fraction(row) - 0.5);
  const double groove = smooth_step(0.0, 0.16, 0.5 - std::fabs(column)) * smooth_step(0.0, 0.1, std::fabs(column));
  const int stripe = static_cast<int>(std::floor(row)) % 7;
  const double fluff = cloud_noise(60 * s, 60 * t, 2, seed);
  return {m, m + 1, stripe >= 3 && stripe != 5 ? 1.0 : 0.0, stitch * (0.45 + 0.5 * groove) * (0.85 + 0.3 * fluff)};
}

Surface leather(double s, double t, int m, std::uint64_t seed) {
  const double bend = 0.6 * cloud_noise(5 * s, 5 * t, 2, seed + 3);
  const CellNoise cell = cell_noise(15 * s + bend, 15 * t + bend, seed);
  const double crease = smooth_step(0.02, 0.22, cell.second - cell.nearest);
  const double relief = 0.5 + 0.5 * crease * (1.1 - 0.6 * cell.nearest);
  const double patina = cloud_noise(3 * s, 3 * t, 4, seed + 5);
  return {m, m + 1, 0.25 + 0.5 * patina, relief * (0.8 + 0.35 * cell.id * crease)};
}

Surface dunes(double s, double t, int m, std::uint64_t seed) {
  const double drift = 0.9 * cloud_noise(3 * s, 2 * t, 3, seed) + 0.12 * cloud_noise(14 * s, 14 * t, 2, seed + 2);
  const double f = fraction(9 * t + 3.2 * drift + 0.8 * s);
  const double slope = f < 0.72 ? f / 0.72 : (1 - f) / 0.28;  // long windward, short lee side
  const double grain = lattice_noise(static_cast<std::int64_t>(s * 150), static_cast<std::int64_t>(t * 150), seed + 4);
  return {m, m + 1, 0.55 * (1 - slope), (0.42 + 0.6 * slope) * (0.88 + 0.24 * grain)};
}

struct Swatch {
  Pattern pattern;
  std::array<const char*, 2> materials;
};

constexpr int kSide = 3;
constexpr std::array<Swatch, kSide* kSide> kSwatches = {{
    {tartan, {"wool red", "wool green"}},
    {wood, {"oak", "walnut"}},
    {denim, {"denim", "cotton"}},
    {marble, {"marble", "marble vein"}},
    {knit, {"lilac", "turquoise"}},
    {granite, {"feldspar", "quartz"}},
    {dunes, {"sand", "terracotta"}},
    {checker, {"tile teal", "mustard"}},
    {leather, {"leather", "moss"}},
}};

}  // namespace

Cube make_texture(const SceneOptions& options) {
  Random random(options.seed);
  std::vector<Spectrum> spectra;
  for (const Swatch& swatch : kSwatches) {
    for (const char* name : swatch.materials) spectra.push_back(material(name).varied(random));
  }
  const int board = static_cast<int>(spectra.size());
  spectra.push_back(material("black cloth"));
  const std::uint64_t seed = random.bits();
  const double du = random.uniform(-0.01, 0.01);
  const double dv = random.uniform(-0.01, 0.01);

  return mix_points(options, spectra, [=](double u, double v, int, PointWeights& point) {
    const double x = (u + du + 1) / 2 * kSide;
    const double y = (v + dv + 1) / 2 * kSide;
    const auto wrap = [](double cell) { return ((static_cast<int>(std::floor(cell)) % kSide) + kSide) % kSide; };
    const int index = wrap(y) * kSide + wrap(x);
    const double light = 1.0 / (1 + 0.06 * ((u + 0.6) * (u + 0.6) + (v + 0.7) * (v + 0.7)));
    constexpr double kGap = 0.025;
    const double s = (fraction(x) - kGap) / (1 - 2 * kGap);
    const double t = (fraction(y) - kGap) / (1 - 2 * kGap);
    if (s < 0 || s >= 1 || t < 0 || t >= 1) {
      point.add(board, light);
      return;
    }
    const Surface surface =
        kSwatches[static_cast<std::size_t>(index)].pattern(s, t, 2 * index, seed + 100u * static_cast<unsigned>(index));
    const double shade = light * std::clamp(surface.shade, 0.03, 1.1);
    point.add(surface.first, shade * (1 - surface.share));
    point.add(surface.second, shade * surface.share);
  });
}

}  // namespace snapcube
