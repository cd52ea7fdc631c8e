#include <algorithm>
#include <cmath>

#include "kernels/tv.h"

namespace snapcube::kernels::plain {

void tv_primal_row(const float* f, const float* p, const float* q, const float* q_above, float weight, std::size_t n,
                   float* u) {
  for (std::size_t i = 0; i < n; ++i) {
    const float across = p[i] - (i > 0 ? p[i - 1] : 0.0f);
    const float down = q[i] - (q_above ? q_above[i] : 0.0f);
    u[i] = f[i] + weight * (across + down);
  }
}

void tv_ascend_row(const float* u, const float* u_below, float step, std::size_t n, float* p, float* q) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i + 1 < n) p[i] = p[i] + step * (u[i + 1] - u[i]);
    if (u_below) q[i] = q[i] + step * (u_below[i] - u[i]);
  }
}

void tv_clip_row(std::size_t n, float* p, float* q) {
  for (std::size_t i = 0; i < n; ++i) {
    p[i] = std::min(1.0f, std::max(-1.0f, p[i]));
    q[i] = std::min(1.0f, std::max(-1.0f, q[i]));
  }
}

void tv_project_row(std::size_t n, float* p, float* q) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrink = 1.0f / std::max(1.0f, std::sqrt(p[i] * p[i] + q[i] * q[i]));
    p[i] *= shrink;
    q[i] *= shrink;
  }
}

void tv_gram_row(const float* p, const float* q, std::size_t n, float* pp, float* pq, float* qq) {
  for (std::size_t i = 0; i < n; ++i) {
    pp[i] = pp[i] + p[i] * p[i];
    pq[i] = pq[i] + p[i] * q[i];
    qq[i] = qq[i] + q[i] * q[i];
  }
}

void tv_vectorial_row(std::size_t n, float* pp, float* pq, float* qq) {
  for (std::size_t i = 0; i < n; ++i) {
    const float shrink = 1.0f / std::max(1.0f, std::sqrt(pp[i] + qq[i]));
    pp[i] = shrink;
    pq[i] = 0.0f;
    qq[i] = shrink;
  }
}

void tv_nuclear_row(std::size_t n, float* pp, float* pq, float* qq) {
  for (std::size_t i = 0; i < n; ++i) {
    // Eigenvalues of [[a, b], [b, c]]: mid ± spread.
    const float half = 0.5f * (pp[i] - qq[i]);
    const float mid = 0.5f * (pp[i] + qq[i]);
    const float spread = std::sqrt(half * half + pq[i] * pq[i]);
    const float large = 1.0f / std::max(1.0f, std::sqrt(mid + spread));
    const float small = 1.0f / std::max(1.0f, std::sqrt(std::max(0.0f, mid - spread)));
    // T = (large + small)/2 · I + (large − small)/(2·spread) · (G − mid·I); G is a multiple of I where spread is 0.
    const float centre = 0.5f * (large + small);
    const float slope = 0.5f * (large - small) / std::max(spread, 1e-20f);
    pp[i] = centre + slope * half;
    qq[i] = centre - slope * half;
    pq[i] = slope * pq[i];
  }
}

void tv_couple_row(const float* pp, const float* pq, const float* qq, std::size_t n, float* p, float* q) {
  for (std::size_t i = 0; i < n; ++i) {
    const float across = p[i];
    const float down = q[i];
    p[i] = pp[i] * across + pq[i] * down;
    q[i] = pq[i] * across + qq[i] * down;
  }
}

}  // namespace snapcube::kernels::plain
