#include "solvers/low_rank.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include <snapcube/array.h>

#include "kernels/gram.h"
#include "kernels/row_product.h"

namespace snapcube {

double shrunk(double singular_value, double weight) {
  const double square = singular_value * singular_value - 4 * weight;
  if (!(singular_value > 0) || square < 0) return 0;
  return (singular_value + std::sqrt(square)) / 2;
}

namespace {

/// A = U diag(s) Vᵀ of few long rows to U diag(shrunk(s)) Vᵀ = U diag(shrunk(s)/s) Uᵀ · A.
class RowShrinker {
 public:
  RowShrinker(int rows, std::size_t length)
      : rows_(rows),
        length_(length),
        gram_(rows, rows),
        solver_(rows),
        operator_(rows, rows),
        packed_(static_cast<std::size_t>(rows) * static_cast<std::size_t>(rows)) {}

  void shrink(const float* from, double weight, float* to) {
    kernels::gram_matrix(from, rows_, length_, length_, gram_.data());
    solver_.compute(gram_);
    factors_ = solver_.eigenvalues();
    for (double& factor : factors_) {
      const double s = std::sqrt(std::max(0.0, factor));
      factor = s > 0 ? shrunk(s, weight) / s : 0.0;
    }
    gram_ = solver_.eigenvectors() * factors_.asDiagonal();
    operator_ = (gram_ * solver_.eigenvectors().transpose()).cast<float>();
    kernels::pack_weights(operator_.data(), rows_, rows_, 1, packed_.data());
    kernels::RowProduct product;
    product.weights = packed_.data();
    product.outputs = product.depth = rows_;
    product.taps = &from;
    product.tap_count = 1;
    product.pitch = product.out_pitch = product.pixels = length_;
    product.out = to;
    kernels::row_product(product);
  }

 private:
  int rows_;
  std::size_t length_;
  Eigen::MatrixXd gram_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver_;
  Eigen::VectorXd factors_;
  Eigen::MatrixXf operator_;  ///< symmetric: by columns or by rows is the same
  FloatBuffer packed_;
};

/// from[i][k][…] to to[k][i][…], stretches of `length`.
void swap_axes(const float* from, std::size_t rows, std::size_t columns, std::size_t length, float* to) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns; ++k, from += length) std::copy_n(from, length, to + (k * rows + i) * length);
  }
}

}  // namespace

struct GroupShrinker::Memory {
  Memory(int patches_, int bands_, int pixels_)
      : patches(static_cast<std::size_t>(patches_)),
        bands(static_cast<std::size_t>(bands_)),
        pixels(static_cast<std::size_t>(pixels_)),
        spectra(bands_, patches * pixels),
        similar(patches_, bands * pixels),
        before(patches * bands * pixels),
        after(patches * bands * pixels),
        mean(bands * pixels) {}

  std::size_t patches;
  std::size_t bands;
  std::size_t pixels;
  RowShrinker spectra;
  RowShrinker similar;
  FloatBuffer before;
  FloatBuffer after;
  FloatBuffer mean;
};

GroupShrinker::GroupShrinker(int patches, int bands, int pixels)
    : memory_(std::make_unique<Memory>(patches, bands, pixels)) {}
GroupShrinker::~GroupShrinker() = default;
GroupShrinker::GroupShrinker(GroupShrinker&&) noexcept = default;
GroupShrinker& GroupShrinker::operator=(GroupShrinker&&) noexcept = default;

void GroupShrinker::shrink(float* group, const Shrinkage& shrinkage) {
  Memory& m = *memory_;
  const double unit = std::sqrt(static_cast<double>(m.before.size())) * shrinkage.noise * shrinkage.noise;
  swap_axes(group, m.patches, m.bands, m.pixels, m.before.data());
  m.spectra.shrink(m.before.data(), shrinkage.band_strength * unit, m.after.data());
  swap_axes(m.after.data(), m.bands, m.patches, m.pixels, m.before.data());

  const std::size_t length = m.mean.size();
  std::ranges::fill(m.mean, 0.0f);
  for (std::size_t j = 0; j < m.patches; ++j) {
    for (std::size_t i = 0; i < length; ++i) m.mean[i] += m.before[j * length + i];
  }
  for (float& v : m.mean) v /= static_cast<float>(m.patches);
  for (std::size_t j = 0; j < m.patches; ++j) {
    for (std::size_t i = 0; i < length; ++i) m.before[j * length + i] -= m.mean[i];
  }
  m.similar.shrink(m.before.data(), shrinkage.patch_strength * unit, group);
  for (std::size_t j = 0; j < m.patches; ++j) {
    for (std::size_t i = 0; i < length; ++i) group[j * length + i] += m.mean[i];
  }
}

}  // namespace snapcube
