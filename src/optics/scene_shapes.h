#pragma once
// Rays and the few solids of the still life.

#include <cmath>

namespace snapcube {

struct Vec {
  double x = 0, y = 0, z = 0;
  Vec operator+(const Vec& o) const { return {x + o.x, y + o.y, z + o.z}; }
  Vec operator-(const Vec& o) const { return {x - o.x, y - o.y, z - o.z}; }
  Vec operator*(double f) const { return {x * f, y * f, z * f}; }
};
inline double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline double length(const Vec& a) { return std::sqrt(dot(a, a)); }
inline Vec normalised(const Vec& a) { return a * (1 / length(a)); }

struct Ray {
  Vec origin;
  Vec direction;
  Vec at(double t) const { return origin + direction * t; }
};

/// Where a ray meets a surface; `inside` when it meets an open solid from within.
struct Hit {
  double t = 1e30;
  Vec normal;
  bool inside = false;
};

/// All solids stand upright; y points up.
struct Solid {
  enum class Shape {
    ellipsoid,  ///< half-axes size
    cone,       ///< base centre, radius size.x, height size.y
    tube,       ///< base centre, open cylinder of radius size.x and height size.y
    disc,       ///< centre, radius size.x, level
    box,        ///< centre, half-sides size
  };
  Shape shape;
  Vec position;
  Vec size;
  /// Turn about the upright axis.
  double cosine = 1, sine = 0;
  int material = 0;
  /// A sphere around the solid, relative to the position: most rays miss it.
  double bound_height = 0;
  double bound_radius = 0;

  void set_bound();

  /// Position relative to the solid, turned with it.
  Vec local(const Vec& p) const {
    const Vec d = p - position;
    return {cosine * d.x + sine * d.z, d.y, -sine * d.x + cosine * d.z};
  }
  Vec turn_back(const Vec& d) const { return {cosine * d.x - sine * d.z, d.y, sine * d.x + cosine * d.z}; }

  /// The nearest hit beyond a small distance and before hit.t; changes `hit` and returns true if
  /// there is one.
  bool meet(const Ray& ray, Hit& hit) const;
};

}  // namespace snapcube
