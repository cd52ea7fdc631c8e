#include "optics/detector_solver.h"

#include <algorithm>

namespace snapcube {

namespace {

/// Pixels that get less than this share of the most light are left out.
constexpr float kDark = 1e-6f;

}  // namespace

DetectorSolver::DetectorSolver(const Camera& camera, double damping)
    : axis_(camera.axis()),
      inverse_pivots_(camera.diagonal()),
      lower_(camera.detector_height(), camera.detector_width()) {
  const Image next = camera.off_diagonal();
  coupled_ = std::ranges::any_of(next.values(), [](float v) { return v > 0; });
  const float most = std::ranges::max(inverse_pivots_.values());
  const float mu = static_cast<float>(damping) * most;
  const int back = axis_ == Axis::columns ? 1 : camera.detector_width();
  const int first_row = axis_ == Axis::rows ? 1 : 0;
  const int first_column = axis_ == Axis::columns ? 1 : 0;
  // d₀ = a₀, l_i = b_{i−1}/d_{i−1}, d_i = a_i − l_i·b_{i−1}; a pixel that is left out is coupled to none.
  for (int y = 0; y < camera.detector_height(); ++y) {
    float* pivot = inverse_pivots_.row(y);
    for (int x = 0; x < camera.detector_width(); ++x) {
      const bool lit = pivot[x] > kDark * most;
      float d = pivot[x] + mu;
      if (lit && y >= first_row && x >= first_column) {
        const float b = *(next.row(y) + x - back);
        lower_(y, x) = b * *(pivot + x - back);
        d -= lower_(y, x) * b;
      }
      pivot[x] = lit && d > kDark * most ? 1 / d : 0.0f;
    }
  }
}

void DetectorSolver::solve(Image& r) const {
  if (!coupled_) {
    for (std::size_t i = 0; i < r.size(); ++i) r.data()[i] *= inverse_pivots_.data()[i];
  } else if (axis_ == Axis::columns) {
    solve_along_columns(r);
  } else {
    solve_along_rows(r);
  }
}

// L z = r forwards, Lᵀ x = z/d backwards. A pixel that is left out must not hand its r on: its z counts as 0.
void DetectorSolver::solve_along_columns(Image& r) const {
  const int last = r.width() - 1;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < r.height(); ++y) {
    float* v = r.row(y);
    const float* l = lower_.row(y);
    const float* d = inverse_pivots_.row(y);
    if (d[0] == 0) v[0] = 0;
    for (int x = 1; x <= last; ++x) v[x] = d[x] == 0 ? 0.0f : v[x] - l[x] * v[x - 1];
    v[last] *= d[last];
    for (int x = last - 1; x >= 0; --x) v[x] = d[x] == 0 ? 0.0f : v[x] * d[x] - l[x + 1] * v[x + 1];
  }
}

// The same down each column; columns are independent, so a block of them is one thread's work.
void DetectorSolver::solve_along_rows(Image& r) const {
  constexpr int kBlock = 64;
  const int last = r.height() - 1;
  const int blocks = (r.width() + kBlock - 1) / kBlock;
#pragma omp parallel for schedule(static)
  for (int block = 0; block < blocks; ++block) {
    const int begin = block * kBlock;
    const int end = std::min(begin + kBlock, r.width());
    for (int y = 0; y <= last; ++y) {
      float* v = r.row(y);
      const float* l = lower_.row(y);
      const float* d = inverse_pivots_.row(y);
      const float* before = y > 0 ? r.row(y - 1) : nullptr;
      for (int x = begin; x < end; ++x) v[x] = d[x] == 0 ? 0.0f : v[x] - (before ? l[x] * before[x] : 0.0f);
    }
    for (int y = last; y >= 0; --y) {
      float* v = r.row(y);
      const float* d = inverse_pivots_.row(y);
      const float* l = y < last ? lower_.row(y + 1) : nullptr;
      const float* after = y < last ? r.row(y + 1) : nullptr;
      for (int x = begin; x < end; ++x) v[x] = d[x] == 0 ? 0.0f : v[x] * d[x] - (after ? l[x] * after[x] : 0.0f);
    }
  }
}

}  // namespace snapcube
