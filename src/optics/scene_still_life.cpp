// Fruit, a cup, a cone and a painted box on a dark table with a striped cloth; one lamp up left,
// soft shadows.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "optics/scene_mixing.h"
#include "optics/scene_noise.h"
#include "optics/scene_shapes.h"

namespace snapcube {
namespace {

enum Material {
  kApple,
  kBlush,
  kOrange,
  kLemon,
  kLime,
  kPlum,
  kGlaze,
  kCream,
  kTea,
  kPlaster,
  kPaint,
  kTurquoise,
  kStem,
  kTable,
  kClothLight,
  kClothDark,
  kWall,
  kGloss,
  kMaterials
};

constexpr std::array<const char*, kMaterials> kNames = {
    "apple red",    "apple blush", "orange peel", "lemon peel", "lime peel",   "plum",
    "cobalt glaze", "cream",       "tea",         "plaster",    "raspberry",   "turquoise",
    "stem",         "walnut",      "cotton",      "wool red",   "black cloth", "white"};

constexpr Vec kCamera = {0, 2.45, 6.2};
constexpr Vec kTarget = {0, 0.5, 0};
constexpr double kZoom = 0.335;  // half of the picture's shorter side, at distance 1
constexpr Vec kLamp = {-3.2, 5.2, 3.4};
constexpr double kLampSize = 0.75;

/// Solids that touch the table at y = 0, and where the cloth lies.
struct Arrangement {
  std::vector<Solid> solids;
  double cloth_cosine, cloth_sine;
  Vec cloth;
  std::uint64_t seed;
};

Arrangement arrange(Random& random) {
  using Shape = Solid::Shape;
  // One draw a statement: the order in which arguments are evaluated differs between compilers.
  Arrangement a;
  const auto near = [&](double x, double z) {
    return Vec{x + random.uniform(-0.05, 0.05), 0, z + random.uniform(-0.05, 0.05)};
  };
  /// A turn by 2·atan(t).
  const auto turned = [](Solid s, double t) {
    s.cosine = (1 - t * t) / (1 + t * t);
    s.sine = 2 * t / (1 + t * t);
    return s;
  };
  const auto fruit = [&](Vec at, Vec r, int material, double t = 0) {
    at.y = r.y;
    a.solids.push_back(turned({Shape::ellipsoid, at, r, 1, 0, material}, t));
  };

  const Vec cup = near(0.98, -0.55);
  a.solids.push_back({Shape::tube, cup, {0.52, 1.08, 0}, 1, 0, kGlaze});
  a.solids.push_back({Shape::disc, cup + Vec{0, 0.9, 0}, {0.52, 0, 0}, 1, 0, kTea});
  a.solids.push_back({Shape::cone, near(-0.28, -1.25), {0.62, 1.95, 0}, 1, 0, kPlaster});
  const Vec apple = near(-1.12, -0.12);
  const double apple_turn = random.uniform(-1, 1);
  fruit(apple, {0.62, 0.56, 0.62}, kApple, apple_turn);
  a.solids.push_back({Shape::tube, apple + Vec{0.02, 1.06, 0.02}, {0.035, 0.24, 0}, 1, 0, kStem});
  fruit(near(0.18, 0.42), {0.5, 0.49, 0.5}, kOrange);
  const double lemon_turn = random.uniform(-0.35, 0.1);
  fruit(near(-0.62, 0.98), {0.46, 0.33, 0.34}, kLemon, lemon_turn);
  fruit(near(1.62, 0.32), {0.31, 0.30, 0.31}, kLime);
  const Vec box = near(0.98, 1.12);
  const double box_turn = random.uniform(0.2, 0.4);
  a.solids.push_back(turned({Shape::box, box + Vec{0, 0.22, 0}, {0.25, 0.22, 0.25}, 1, 0, kPaint}, box_turn));
  const Vec plums = near(0.28, 1.42);
  for (const auto& [x, z] : {std::pair{0.0, 0.0}, {-0.3, 0.06}, {-0.13, 0.27}}) {
    fruit(plums + Vec{x, 0, z}, {0.155, 0.15, 0.155}, kPlum);
  }

  for (Solid& s : a.solids) s.set_bound();

  const double t = random.uniform(0.10, 0.16);
  a.cloth_cosine = (1 - t * t) / (1 + t * t);
  a.cloth_sine = 2 * t / (1 + t * t);
  a.cloth = {-0.55, 0, 0.75};
  a.seed = random.bits();
  return a;
}

/// Colour of the table at a point: wood, or cloth with stripes and threads.
void paint_table(const Arrangement& a, const Vec& p, double light, PointWeights& point) {
  const double x = a.cloth_cosine * (p.x - a.cloth.x) + a.cloth_sine * (p.z - a.cloth.z);
  const double z = -a.cloth_sine * (p.x - a.cloth.x) + a.cloth_cosine * (p.z - a.cloth.z);
  if (std::fabs(x) < 1.42 && std::fabs(z) < 1.0) {
    const double fx = x / 0.355 - std::floor(x / 0.355);
    const double fz = z / 0.355 - std::floor(z / 0.355);
    const bool warp = fx < 0.42;
    const bool weft = fz < 0.42;
    const double thread = 0.86 + 0.28 * smooth_noise(46 * x, 46 * z, a.seed);
    const double fold = 0.82 + 0.3 * cloud_noise(1.7 * x + 5, 1.7 * z, 2, a.seed + 8);
    const double dark = warp && weft ? 1.0 : warp || weft ? 0.5 : 0.0;
    const double shade = 0.82 * light * thread * fold;
    point.add(kClothLight, shade * (1 - dark));
    point.add(kClothDark, shade * dark);
    return;
  }
  const double grain =
      cloud_noise(1.2 * p.x + 0.3 * p.z, 11 * p.z + 1.5 * cloud_noise(p.x, p.z, 2, a.seed), 4, a.seed + 20);
  point.add(kTable, light * (0.12 + 0.55 * grain * grain));
}

/// Diffuse colour of a solid, and how glossy it is.
double paint_solid(const Arrangement& a, const Solid& solid, const Hit& hit, const Vec& p, double light,
                   PointWeights& point) {
  const Vec q = solid.local(p);
  switch (solid.material) {
    case kApple: {
      // Streaks run from pole to pole: noise over the direction in the level plane.
      const double r = std::sqrt(q.x * q.x + q.z * q.z) + 1e-9;
      const double streak = cloud_noise(9 * q.x / r + 20, 9 * q.z / r + 1.5 * q.y, 3, a.seed + 30);
      const double blush = smooth_step(0.42, 0.85, 0.55 * streak + 0.42 * (q.x / r * 0.6 + q.y + 0.45));
      const double dimple = 0.35 + 0.65 * smooth_step(0.02, 0.24, r + (q.y > 0 ? 0 : 1));
      point.add(kApple, light * dimple * (1 - blush));
      point.add(kBlush, light * dimple * blush);
      return 0.5;
    }
    case kOrange: {
      const CellNoise pore = cell_noise(15 * q.x + 9 * q.z, 15 * q.y - 6 * q.z, a.seed + 40);
      point.add(kOrange, light * (0.86 + 0.2 * smooth_step(0.05, 0.4, pore.nearest)));
      return 0.28;
    }
    case kLemon: {
      point.add(kLemon, light * (0.88 + 0.2 * cloud_noise(14 * q.x, 14 * q.y + 9 * q.z, 3, a.seed + 50)));
      return 0.3;
    }
    case kLime: {
      point.add(kLime, light * (0.85 + 0.35 * cloud_noise(5 * q.x, 12 * q.y + 7 * q.z, 3, a.seed + 60)));
      return 0.35;
    }
    case kPlum: {
      const double bloom = 0.25 * cloud_noise(9 * q.x + 30 * solid.position.x, 9 * q.y, 3, a.seed + 65);
      point.add(kPlum, light * 1.15);
      point.add(kWall, light * bloom * 3);
      return 0.32;
    }
    case kGlaze: {
      if (hit.inside || q.y > solid.size.y - 0.05) {
        point.add(kCream, light * (hit.inside ? 0.75 : 1.0));
        return hit.inside ? 0.05 : 0.3;
      }
      const bool band = q.y > 0.62 && q.y < 0.80;
      point.add(band ? kCream : kGlaze, light * (band ? 0.95 : 1.1));
      return 0.75;
    }
    case kPaint: {
      // A cross on each face but the bottom.
      constexpr double kHalf = 0.055;
      const bool top = q.y > 0.215;
      const bool cross = std::fabs(q.x) < kHalf || std::fabs(q.z) < kHalf || (!top && std::fabs(q.y) < kHalf);
      point.add(cross ? kTurquoise : kPaint, light);
      return 0.12;
    }
    default:
      point.add(solid.material, light * (0.97 + 0.06 * cloud_noise(20 * q.x, 20 * q.y, 2, a.seed + 70)));
      return solid.material == kTea ? 0.5 : 0.03;
  }
}

/// Share of the sky that the solids leave free at a point: each counts like a sphere seen from
/// there.
double openness(const Arrangement& a, const Vec& p, const Vec& n, const Solid* self) {
  double open = 1;
  for (const Solid& s : a.solids) {
    if (&s == self) continue;
    const double r = s.shape == Solid::Shape::ellipsoid || s.shape == Solid::Shape::box ? s.size.y : s.size.x * 0.8;
    Vec centre = s.position;
    if (s.shape == Solid::Shape::cone || s.shape == Solid::Shape::tube) centre.y += std::min(s.size.y / 2, r);
    const Vec to = centre - p;
    const double d2 = dot(to, to);
    const double facing = std::max(0.0, dot(n, to) / std::sqrt(d2 + 1e-12) * 0.8 + 0.2);
    open *= 1 - std::min(0.85, 0.9 * facing * r * r / (d2 + 0.1 * r * r));
  }
  return open;
}

/// Light of the lamp at p: sees the lamp at two points of its disc that differ from sample to
/// sample.
double lamp_light(const Arrangement& a, const Vec& p, const Vec& n, int index) {
  // Sixteen samples times two points: the cells of a 4×8 grid over the lamp, visited in a scattered
  // order.
  constexpr std::array<int, 16> kOrder = {0, 10, 5, 15, 8, 2, 13, 7, 4, 14, 1, 11, 12, 6, 9, 3};
  const int cell = kOrder[static_cast<std::size_t>(index)];
  const int row = cell / 4;
  const int column = cell % 4;
  double seen = 0;
  for (int half = 0; half < 2; ++half) {
    const double lx = (column + 0.25 + 0.5 * half) / 2 - 1;
    const double ly = (row + (half == 0 ? 0.3 : 0.7)) / 2 - 1;
    const Vec lamp =
        kLamp + Vec{0.75 * lx, 0.1 * lx, 0.7 * lx} * kLampSize + Vec{-0.3 * ly, 0.8 * ly, 0.2 * ly} * kLampSize;
    const Vec to = lamp - p;
    const Ray ray = {p + n * 1e-3, to};
    bool blocked = false;
    for (const Solid& s : a.solids) {
      Hit hit;
      hit.t = 1;
      if (s.meet(ray, hit)) {
        blocked = true;
        break;
      }
    }
    if (!blocked) seen += 0.5 * std::max(0.0, dot(n, normalised(to)));
  }
  return seen;
}

}  // namespace

Cube make_still_life(const SceneOptions& options) {
  Random random(options.seed);
  std::vector<Spectrum> spectra;
  for (const char* name : kNames) spectra.push_back(material(name).varied(random));
  const Arrangement a = arrange(random);

  const Vec forward = normalised(kTarget - kCamera);
  const Vec right = normalised({-forward.z, 0, forward.x});
  const Vec down = {forward.y * right.z, forward.z * right.x - forward.x * right.z, -forward.y * right.x};

  return mix_points(options, spectra, [&](double u, double v, int index, PointWeights& point) {
    const Ray ray = {kCamera, normalised(forward + right * (u * kZoom) + down * (v * kZoom))};
    Hit hit;
    const Solid* solid = nullptr;
    for (const Solid& s : a.solids) {
      if (s.meet(ray, hit)) solid = &s;
    }
    const double table = ray.direction.y < 0 ? -ray.origin.y / ray.direction.y : 1e30;
    if (!solid && table > 14) {
      // A wall far behind, with a faint glow in the middle.
      point.add(kWall, 0.25 + 1.1 / (1 + 1.5 * u * u + 2.5 * (v + 0.35) * (v + 0.35)));
      return;
    }
    const bool on_table = table < hit.t;
    if (on_table) {
      hit = {table, {0, 1, 0}, false};
      solid = nullptr;
    }
    const Vec p = ray.at(hit.t);
    const Vec to_lamp = kLamp - p;
    // The lamp's cone ends softly around the arrangement.
    const double spot = 1 - smooth_step(1.4, 4.6, std::sqrt(p.x * p.x + 0.8 * (p.z - 0.2) * (p.z - 0.2)));
    const double lamp = spot > 0 ? lamp_light(a, p, hit.normal, index) : 0;
    const double sky = 0.17 * (0.55 + 0.45 * hit.normal.y) * openness(a, p, hit.normal, solid);
    const double light = spot * 1.12 * lamp + (0.15 + 0.85 * spot) * sky;
    if (!solid) {
      paint_table(a, p, light, point);
      return;
    }
    const double gloss = paint_solid(a, *solid, hit, p, light, point);
    const Vec half = normalised(normalised(to_lamp) - ray.direction);
    const double shine = std::max(0.0, dot(hit.normal, half));
    const double s2 = shine * shine;
    const double s8 = s2 * s2 * s2 * s2;
    const double s64 = s8 * s8 * s8 * s8 * s8 * s8 * s8 * s8;
    if (lamp > 0) point.add(kGloss, gloss * (0.9 * s64 + 0.1 * s8));
  });
}

}  // namespace snapcube
