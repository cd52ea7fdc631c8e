#include "optics/scene_shapes.h"

#include <algorithm>
#include <utility>

namespace snapcube {
namespace {

constexpr double kNear = 1e-4;

/// Both roots of a·t² + 2·b·t + c, in ascending order; false if there are none.
bool roots(double a, double b, double c, double& first, double& second) {
  const double discriminant = b * b - a * c;
  if (discriminant < 0 || std::fabs(a) < 1e-12) return false;
  const double root = std::sqrt(discriminant);
  first = (-b - root) / a;
  second = (-b + root) / a;
  if (first > second) std::swap(first, second);
  return true;
}

bool ellipsoid(const Vec& o, const Vec& d, const Vec& r, Hit& hit) {
  const Vec os = {o.x / r.x, o.y / r.y, o.z / r.z};
  const Vec ds = {d.x / r.x, d.y / r.y, d.z / r.z};
  double t0 = 0, t1 = 0;
  if (!roots(dot(ds, ds), dot(os, ds), dot(os, os) - 1, t0, t1)) return false;
  const double t = t0 > kNear ? t0 : t1;
  if (t <= kNear || t >= hit.t) return false;
  const Vec p = o + d * t;
  hit = {t, normalised({p.x / (r.x * r.x), p.y / (r.y * r.y), p.z / (r.z * r.z)}), false};
  return true;
}

/// Cone of radius r at y = 0 and 0 at y = h; a tube has the same radius all the way (slope 0).
bool upright_round(const Vec& o, const Vec& d, double r, double h, double slope, Hit& hit) {
  // x² + z² = (r − slope·y)²
  const double reach = r - slope * o.y;
  double t[2];
  if (!roots(d.x * d.x + d.z * d.z - slope * slope * d.y * d.y, o.x * d.x + o.z * d.z + reach * slope * d.y,
             o.x * o.x + o.z * o.z - reach * reach, t[0], t[1])) {
    return false;
  }
  for (const double candidate : t) {
    const Vec p = o + d * candidate;
    if (candidate <= kNear || p.y < 0 || p.y > h) continue;
    if (candidate >= hit.t) return false;
    const double radius = std::max(1e-9, r - slope * p.y);
    Vec normal = normalised({p.x / radius, slope, p.z / radius});
    const bool inside = dot(normal, d) > 0;
    if (inside) normal = normal * -1;
    hit = {candidate, normal, inside};
    return true;
  }
  return false;
}

bool disc(const Vec& o, const Vec& d, double r, Hit& hit) {
  if (std::fabs(d.y) < 1e-12) return false;
  const double t = -o.y / d.y;
  const Vec p = o + d * t;
  if (t <= kNear || t >= hit.t || p.x * p.x + p.z * p.z > r * r) return false;
  hit = {t, {0, d.y < 0 ? 1.0 : -1.0, 0}, false};
  return true;
}

bool box(const Vec& o, const Vec& d, const Vec& half, Hit& hit) {
  const double origin[] = {o.x, o.y, o.z};
  const double direction[] = {d.x, d.y, d.z};
  const double side[] = {half.x, half.y, half.z};
  double enter = -1e30;
  double leave = 1e30;
  int axis = 0;
  for (int i = 0; i < 3; ++i) {
    const double inverse = 1 / (std::fabs(direction[i]) > 1e-12 ? direction[i] : 1e-12);
    const double a = (-side[i] - origin[i]) * inverse;
    const double b = (side[i] - origin[i]) * inverse;
    if (std::min(a, b) > enter) {
      enter = std::min(a, b);
      axis = i;
    }
    leave = std::min(leave, std::max(a, b));
  }
  if (enter > leave || enter <= kNear || enter >= hit.t) return false;
  const double sign = direction[axis] > 0 ? -1 : 1;
  hit = {enter, {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0}, false};
  return true;
}

}  // namespace

void Solid::set_bound() {
  switch (shape) {
    case Shape::ellipsoid:
      bound_radius = std::max({size.x, size.y, size.z});
      break;
    case Shape::box:
      bound_radius = length(size);
      break;
    case Shape::disc:
      bound_radius = size.x;
      break;
    case Shape::cone:
    case Shape::tube:
      bound_height = size.y / 2;
      bound_radius = std::sqrt(size.x * size.x + size.y * size.y / 4);
      break;
  }
}

bool Solid::meet(const Ray& ray, Hit& hit) const {
  const Vec to = position + Vec{0, bound_height, 0} - ray.origin;
  const double along = dot(to, ray.direction);
  const double d2 = dot(ray.direction, ray.direction);
  if (dot(to, to) * d2 - along * along > bound_radius * bound_radius * d2) return false;
  const Vec o = local(ray.origin);
  const Vec d = {cosine * ray.direction.x + sine * ray.direction.z, ray.direction.y,
                 -sine * ray.direction.x + cosine * ray.direction.z};
  bool met = false;
  switch (shape) {
    case Shape::ellipsoid:
      met = ellipsoid(o, d, size, hit);
      break;
    case Shape::cone:
      met = upright_round(o, d, size.x, size.y, size.x / size.y, hit);
      break;
    case Shape::tube:
      met = upright_round(o, d, size.x, size.y, 0, hit);
      break;
    case Shape::disc:
      met = disc(o, d, size.x, hit);
      break;
    case Shape::box:
      met = box(o, d, size, hit);
      break;
  }
  if (met) hit.normal = turn_back(hit.normal);
  return met;
}

}  // namespace snapcube
