#include "solvers/tv.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <omp.h>

#include "kernels/tv.h"

namespace snapcube {

namespace {

// Ascent converges for steps below 1/(4·weight), the dual operator's norm being at most 8; a fifth leaves a margin.
constexpr float kStep = 0.2f;
constexpr std::size_t kCacheLine = 16;  // floats

int first_row_of(int thread, int threads, int height) {
  return static_cast<int>(static_cast<std::int64_t>(height) * thread / threads);
}

}  // namespace

const std::vector<std::pair<std::string, TvKind>>& tv_kind_names() {
  static const std::vector<std::pair<std::string, TvKind>> names = {{"nuclear", TvKind::nuclear},
                                                                    {"vectorial", TvKind::vectorial},
                                                                    {"isotropic", TvKind::isotropic},
                                                                    {"anisotropic", TvKind::anisotropic}};
  return names;
}

TvDenoiser::TvDenoiser(int bands, int height, int width, TvKind kind)
    : bands_(bands),
      height_(height),
      width_(width),
      kind_(kind),
      stride_((static_cast<std::size_t>(width) + kCacheLine - 1) / kCacheLine * kCacheLine),
      dual_(2 * row_floats() * static_cast<std::size_t>(height)),
      row_values_(static_cast<std::size_t>(height)),
      threads_(std::clamp(omp_get_max_threads(), 1, height)) {
  scratch_.resize(static_cast<std::size_t>(threads_) * (3 * row_floats() + 3 * stride_));
}

/// u[b] = x[b] + weight · div of the duals, for all bands of row y.
void TvDenoiser::primal_row(const Cube& x, int y, float weight, float* u) {
  for (int b = 0; b < bands_; ++b) {
    kernels::tv_primal_row(x.row(b, y), p(y, b), q(y, b), y > 0 ? q(y - 1, b) : nullptr, weight,
                           static_cast<std::size_t>(width_), u + b * stride_);
  }
}

/// One step of ascent and projection for all bands of row y.
void TvDenoiser::ascend_row(const float* u, const float* u_below, int y, float step, float* gram) {
  const auto n = static_cast<std::size_t>(width_);
  const bool coupled = kind_ == TvKind::vectorial || kind_ == TvKind::nuclear;
  float* pp = gram;
  float* pq = gram + stride_;
  float* qq = gram + 2 * stride_;
  if (coupled) std::fill_n(gram, 3 * stride_, 0.0f);
  for (int b = 0; b < bands_; ++b) {
    kernels::tv_ascend_row(u + b * stride_, u_below ? u_below + b * stride_ : nullptr, step, n, p(y, b), q(y, b));
    if (coupled) kernels::tv_gram_row(p(y, b), q(y, b), n, pp, pq, qq);
    if (kind_ == TvKind::isotropic) kernels::tv_project_row(n, p(y, b), q(y, b));
    if (kind_ == TvKind::anisotropic) kernels::tv_clip_row(n, p(y, b), q(y, b));
  }
  if (!coupled) return;
  if (kind_ == TvKind::nuclear) {
    kernels::tv_nuclear_row(n, pp, pq, qq);
  } else {
    kernels::tv_vectorial_row(n, pp, pq, qq);
  }
  for (int b = 0; b < bands_; ++b) kernels::tv_couple_row(pp, pq, qq, n, p(y, b), q(y, b));
}

// A thread owns a run of rows and walks down it with two primal rows in hand: the row below is computed, from the duals
// of the step before, just ahead of the update that changes them. At the end of a run the row below belongs to the next
// thread, which has set its first row aside before anyone changed a dual. So every value is the same for every number
// of threads, and the primal cube never exists in memory.
void TvDenoiser::denoise(Cube& x, float weight, int iterations) {
  const float step = kStep / weight;
  const std::size_t per_thread = 3 * row_floats() + 3 * stride_;
#pragma omp parallel num_threads(threads_)
  {
    const int threads = omp_get_num_threads();
    const int me = omp_get_thread_num();
    const int first = first_row_of(me, threads, height_);
    const int end = first_row_of(me + 1, threads, height_);
    float* mine = scratch_.data() + static_cast<std::size_t>(me) * per_thread;
    float* const set_aside = mine;
    float* const walking[2] = {mine + row_floats(), mine + 2 * row_floats()};
    float* const gram = mine + 3 * row_floats();
    for (int i = 0; i < iterations; ++i) {
      primal_row(x, first, weight, set_aside);
#pragma omp barrier
      const float* here = set_aside;
      for (int y = first; y < end; ++y) {
        const float* below = nullptr;
        if (y + 1 < end) {
          float* next = walking[(y - first) % 2];
          primal_row(x, y + 1, weight, next);
          below = next;
        } else if (end < height_) {
          below = set_aside + per_thread;  // the next thread's first row
        }
        ascend_row(here, below, y, step, gram);
        here = below;
      }
#pragma omp barrier
    }
    // x itself becomes the primal: row by row, each band in place.
    for (int y = first; y < end; ++y) {
      primal_row(x, y, weight, set_aside);
      for (int b = 0; b < bands_; ++b) {
        std::copy_n(set_aside + b * stride_, width_, x.row(b, y));
      }
    }
  }
}

double TvDenoiser::value(const Cube& x) {
  const std::size_t per_thread = 3 * row_floats() + 3 * stride_;
#pragma omp parallel for schedule(static) num_threads(threads_)
  for (int y = 0; y < height_; ++y) {
    float* gram = scratch_.data() + static_cast<std::size_t>(omp_get_thread_num()) * per_thread;
    row_values_[static_cast<std::size_t>(y)] = row_value(x, y, gram, gram + stride_, gram + 2 * stride_);
  }
  return std::accumulate(row_values_.begin(), row_values_.end(), 0.0);
}

/// The sum over one row; xx, xy and yy are buffers of its length.
double TvDenoiser::row_value(const Cube& x, int y, float* xx, float* xy, float* yy) const {
  std::fill_n(xx, width_, 0.0f);
  std::fill_n(xy, width_, 0.0f);
  std::fill_n(yy, width_, 0.0f);
  const bool last_row = y + 1 == height_;
  for (int b = 0; b < bands_; ++b) {
    const float* here = x.row(b, y);
    const float* below = last_row ? here : here + width_;
    const auto add = [&](int c, float dx) {
      const float dy = below[c] - here[c];
      if (kind_ == TvKind::isotropic) {
        xx[c] += std::sqrt(dx * dx + dy * dy);
      } else if (kind_ == TvKind::anisotropic) {
        xx[c] += std::fabs(dx) + std::fabs(dy);
      } else {
        xx[c] += dx * dx;
        xy[c] += dx * dy;
        yy[c] += dy * dy;
      }
    };
    for (int c = 0; c + 1 < width_; ++c) add(c, here[c + 1] - here[c]);
    add(width_ - 1, 0.0f);
  }
  double sum = 0;
  for (int c = 0; c < width_; ++c) {
    switch (kind_) {
      case TvKind::vectorial:
        sum += std::sqrt(xx[c] + yy[c]);
        break;
      // Sum of the singular values of J: (σ1 + σ2)² = trace + 2·sqrt(det) of its Gram matrix.
      case TvKind::nuclear:
        sum += std::sqrt(xx[c] + yy[c] + 2 * std::sqrt(std::max(0.0f, xx[c] * yy[c] - xy[c] * xy[c])));
        break;
      default:
        sum += xx[c];
    }
  }
  return sum;
}

}  // namespace snapcube
