#include "optics/dispersed_row.h"

#include <algorithm>
#include <cmath>

namespace snapcube {

Dispersion::Dispersion(std::span<const double> positions, int width) : width_(width) {
  int span = 0;
  for (const double position : positions) {
    const double whole = std::floor(position);
    const Place place{static_cast<int>(whole), static_cast<float>(position - whole)};
    places_.push_back(place);
    if (place.fraction > 0) whole_ = false;
    span = std::max(span, place.whole + (place.fraction > 0 ? 1 : 0));
  }
  detector_width_ = width + span;
}

void project_row(const Dispersion& dispersion, const ConstRow& x, const ConstRow& masks, float* z) {
  std::fill_n(z, dispersion.detector_width(), 0.0f);
  const int n = dispersion.width();
  for (std::size_t b = 0; b < dispersion.places().size(); ++b) {
    const auto [whole, fraction] = dispersion.places()[b];
    const float* from = x.band(b);
    const float* mask = masks.band(b);
    float* __restrict to = z + whole;
    if (fraction == 0) {
      for (int i = 0; i < n; ++i) to[i] += mask[i] * from[i];
      continue;
    }
    const float near = 1 - fraction;
    for (int i = 0; i < n; ++i) to[i] += near * (mask[i] * from[i]);
    ++to;
    for (int i = 0; i < n; ++i) to[i] += fraction * (mask[i] * from[i]);
  }
}

void back_project_row(const Dispersion& dispersion, const float* s, const ConstRow& masks, float factor,
                      const ConstRow& x, const Row& out) {
  const int n = dispersion.width();
  for (std::size_t b = 0; b < dispersion.places().size(); ++b) {
    const auto [whole, fraction] = dispersion.places()[b];
    const float* mask = masks.band(b);
    const float* at = s + whole;
    const float near = factor * (1 - fraction);
    const float far = factor * fraction;
    const int tap = fraction > 0 ? 1 : 0;  // beyond the last pixel there is nothing to read
    float* to = out.band(b);
    if (x.data) {
      const float* from = x.band(b);
      for (int i = 0; i < n; ++i) to[i] = from[i] + mask[i] * (near * at[i] + far * at[i + tap]);
    } else {
      for (int i = 0; i < n; ++i) to[i] = mask[i] * (near * at[i] + far * at[i + tap]);
    }
  }
}

void gram_row(const Dispersion& dispersion, const ConstRow& masks, float* diagonal, float* next) {
  const int n = dispersion.width();
  std::fill_n(diagonal, dispersion.detector_width(), 0.0f);
  if (next) std::fill_n(next, dispersion.detector_width(), 0.0f);
  for (std::size_t b = 0; b < dispersion.places().size(); ++b) {
    const auto [whole, fraction] = dispersion.places()[b];
    const float* mask = masks.band(b);
    float* to = diagonal + whole;
    const float near = 1 - fraction;
    for (int i = 0; i < n; ++i) to[i] += near * near * (mask[i] * mask[i]);
    if (fraction == 0) continue;
    for (int i = 0; i < n; ++i) to[i + 1] += fraction * fraction * (mask[i] * mask[i]);
    if (!next) continue;
    for (int i = 0; i < n; ++i) next[whole + i] += near * fraction * (mask[i] * mask[i]);
  }
}

void level_row(const float* y, const float* flat, const float* weights, float darkest, int count, float* out) {
  constexpr int kReach = 4;
  const auto usable = [&](int i) { return flat[i] > darkest && (!weights || weights[i] > 0); };
  for (int i = 0; i < count; ++i) {
    if (usable(i)) {
      out[i] = y[i] / flat[i];
      continue;
    }
    float sum = 0;
    float light = 0;
    for (int k = std::max(0, i - kReach); k <= std::min(count - 1, i + kReach); ++k) {
      if (!usable(k)) continue;
      sum += y[k];
      light += flat[k];
    }
    out[i] = light > 0 ? sum / light : 1.0f;
  }
}

void solve_row(const float* diagonal, const float* next, float mu, const float* r, int count, float* s,
               float* scratch) {
  if (!next) {
    for (int i = 0; i < count; ++i) s[i] = r[i] / (diagonal[i] + mu);
    return;
  }
  // Elimination downwards, substitution upwards; T + μ is positive definite, so no pivot is needed.
  float above = 0;  // next[i − 1] / pivot[i − 1]
  float before = 0;
  for (int i = 0; i < count; ++i) {
    const float beside = i > 0 ? next[i - 1] : 0.0f;
    const float pivot = diagonal[i] + mu - beside * above;
    above = i + 1 < count ? next[i] / pivot : 0.0f;
    before = (r[i] - beside * before) / pivot;
    scratch[i] = above;
    s[i] = before;
  }
  for (int i = count - 2; i >= 0; --i) s[i] -= scratch[i] * s[i + 1];
}

}  // namespace snapcube
