#pragma once
// Smooth noise for textures. Everything is integer hashing and polynomials, so every machine gets
// the same values.

#include <cmath>
#include <cstdint>

namespace snapcube {

/// Uniform in [0,1) for each lattice point.
inline double lattice_noise(std::int64_t x, std::int64_t y, std::uint64_t seed) {
  // Three odd factors keep the inputs apart; two rounds of multiply and shift spread them.
  std::uint64_t h = static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15ull ^
                    static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4Full ^ seed * 0xD6E8FEB86659FD93ull;
  h = (h ^ (h >> 32)) * 0xBF58476D1CE4E5B9ull;
  h = (h ^ (h >> 29)) * 0x94D049BB133111EBull;
  return static_cast<double>((h ^ (h >> 32)) >> 11) * 0x1p-53;
}

/// 0 below `low`, 1 above `high`, a smooth cubic between.
inline double smooth_step(double low, double high, double x) {
  const double t = x <= low ? 0 : x >= high ? 1 : (x - low) / (high - low);
  return t * t * (3 - 2 * t);
}

/// Lattice values joined smoothly, [0,1).
inline double smooth_noise(double x, double y, std::uint64_t seed) {
  const double fx = std::floor(x);
  const double fy = std::floor(y);
  const auto ix = static_cast<std::int64_t>(fx);
  const auto iy = static_cast<std::int64_t>(fy);
  const double tx = smooth_step(0, 1, x - fx);
  const double ty = smooth_step(0, 1, y - fy);
  const double top = (1 - tx) * lattice_noise(ix, iy, seed) + tx * lattice_noise(ix + 1, iy, seed);
  const double bottom = (1 - tx) * lattice_noise(ix, iy + 1, seed) + tx * lattice_noise(ix + 1, iy + 1, seed);
  return (1 - ty) * top + ty * bottom;
}

/// Octaves of smooth noise, each twice as fine and half as strong; [0,1) with mean ½.
inline double cloud_noise(double x, double y, int octaves, std::uint64_t seed) {
  double sum = 0;
  double strength = 0.5;
  double total = 0;
  for (int i = 0; i < octaves; ++i) {
    sum += strength * smooth_noise(x, y, seed + static_cast<std::uint64_t>(i));
    total += strength;
    strength /= 2;
    x = 2 * x + 17.3;
    y = 2 * y + 9.1;
  }
  return sum / total;
}

/// Distances to the nearest and second nearest of points scattered one to a cell, and a number for
/// the nearest one.
struct CellNoise {
  double nearest = 9;
  double second = 9;
  double id = 0;
};
inline CellNoise cell_noise(double x, double y, std::uint64_t seed) {
  CellNoise result;
  const auto ix = static_cast<std::int64_t>(std::floor(x));
  const auto iy = static_cast<std::int64_t>(std::floor(y));
  for (std::int64_t cy = iy - 1; cy <= iy + 1; ++cy) {
    for (std::int64_t cx = ix - 1; cx <= ix + 1; ++cx) {
      const double dx = static_cast<double>(cx) + lattice_noise(cx, cy, seed) - x;
      const double dy = static_cast<double>(cy) + lattice_noise(cx, cy, seed + 1) - y;
      const double d = std::sqrt(dx * dx + dy * dy);
      if (d < result.nearest) {
        result = {d, result.nearest, lattice_noise(cx, cy, seed + 2)};
      } else if (d < result.second) {
        result.second = d;
      }
    }
  }
  return result;
}

}  // namespace snapcube
