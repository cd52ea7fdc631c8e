#pragma once
// Where an image lies: moved, turned and scaled about a centre.

#include <cmath>

namespace snapcube {

struct Place {
  double x = 0;
  double y = 0;
};

/// p ↦ centre + (dx, dy) + scale · R(turn) · (p − centre)
struct Similarity {
  double dx = 0;
  double dy = 0;
  double turn = 0;  ///< radians, from the columns' axis towards the rows'
  double scale = 1;

  Place apply(const Place& p, const Place& centre) const {
    const double u = p.x - centre.x;
    const double v = p.y - centre.y;
    const double c = scale * std::cos(turn);
    const double s = scale * std::sin(turn);
    return {centre.x + dx + c * u - s * v, centre.y + dy + s * u + c * v};
  }
  Place undo(const Place& p, const Place& centre) const {
    const double u = p.x - centre.x - dx;
    const double v = p.y - centre.y - dy;
    const double c = std::cos(turn) / scale;
    const double s = std::sin(turn) / scale;
    return {centre.x + c * u + s * v, centre.y - s * u + c * v};
  }
  /// The same map with its parameters about another centre.
  Similarity about(const Place& other, const Place& centre) const {
    const Place moved = apply(other, centre);
    return {moved.x - other.x, moved.y - other.y, turn, scale};
  }
  /// This after `first`, both about the same centre.
  Similarity after(const Similarity& first, const Place& centre) const {
    const Place moved = apply({centre.x + first.dx, centre.y + first.dy}, centre);
    return {moved.x - centre.x, moved.y - centre.y, turn + first.turn, scale * first.scale};
  }
};

}  // namespace snapcube
