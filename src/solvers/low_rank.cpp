#include "solvers/low_rank.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

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
  RowShrinker(std::size_t rows, std::size_t length)
      : rows_(static_cast<int>(rows)),
        length_(length),
        pitch_((length + kernels::kGramPadding - 1) / kernels::kGramPadding * kernels::kGramPadding),
        values_(rows * pitch_),
        gram_(rows_, rows_),
        solver_(rows_),
        operator_(rows_, rows_),
        packed_(rows * rows) {}

  /// A, to be filled in.
  float* row(std::size_t i) { return values_.data() + i * pitch_; }

  enum class Largest { shrunk, kept };

  /// The result's rows follow each other without gaps. With `kept` the largest singular value stays as it is.
  void shrink(double weight, Largest largest, float* to) {
    gram_.setZero();
    kernels::gram({values_.data(), rows_, pitch_, length_, 1, 0, gram_.data()});
    // Row by row above the diagonal is, to Eigen, column by column below it: the part that it reads.
    solver_.compute(gram_);
    factors_ = solver_.eigenvalues();
    for (double& factor : factors_) {
      const double s = std::sqrt(std::max(0.0, factor));
      factor = s > 0 ? shrunk(s, weight) / s : 0.0;
    }
    if (largest == Largest::kept) factors_(rows_ - 1) = 1;  // eigenvalues ascend
    gram_ = solver_.eigenvectors() * factors_.asDiagonal();
    operator_ = (gram_ * solver_.eigenvectors().transpose()).cast<float>();
    kernels::pack_weights(operator_.data(), rows_, rows_, 1, packed_.data());
    const float* from = values_.data();
    kernels::RowProduct product;
    product.weights = packed_.data();
    product.outputs = product.depth = rows_;
    product.taps = &from;
    product.tap_count = 1;
    product.pitch = pitch_;
    product.out_pitch = product.pixels = length_;
    product.out = to;
    kernels::row_product(product);
  }

 private:
  int rows_;
  std::size_t length_;
  std::size_t pitch_;
  FloatBuffer values_;
  Eigen::MatrixXd gram_;
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver_;
  Eigen::VectorXd factors_;
  Eigen::MatrixXf operator_;  ///< symmetric: by columns or by rows is the same
  FloatBuffer packed_;
};

}  // namespace

struct GroupShrinker::Memory {
  Memory(int patches_, int bands_, int pixels_)
      : patches(static_cast<std::size_t>(patches_)),
        bands(static_cast<std::size_t>(bands_)),
        pixels(static_cast<std::size_t>(pixels_)),
        spectra(bands, patches * pixels),
        similar(patches, bands * pixels),
        by_band(patches * bands * pixels),
        mean(bands * pixels) {}

  std::size_t patches;
  std::size_t bands;
  std::size_t pixels;
  RowShrinker spectra;
  RowShrinker similar;
  FloatBuffer by_band;  ///< the shrunk spectra: [bands][patches][pixels]
  FloatBuffer mean;     ///< of the patches
};

GroupShrinker::GroupShrinker(int patches, int bands, int pixels)
    : memory_(std::make_unique<Memory>(patches, bands, pixels)) {}
GroupShrinker::~GroupShrinker() = default;
GroupShrinker::GroupShrinker(GroupShrinker&&) noexcept = default;
GroupShrinker& GroupShrinker::operator=(GroupShrinker&&) noexcept = default;

void GroupShrinker::shrink(float* group, const Shrinkage& shrinkage) {
  Memory& m = *memory_;
  const double unit = std::sqrt(static_cast<double>(m.by_band.size())) * shrinkage.noise * shrinkage.noise;
  const float* from = group;
  for (std::size_t j = 0; j < m.patches; ++j) {
    for (std::size_t b = 0; b < m.bands; ++b, from += m.pixels) {
      std::copy_n(from, m.pixels, m.spectra.row(b) + j * m.pixels);
    }
  }
  // Of a dark group all would fall below the weight and leave it black; its main spectrum is no noise.
  m.spectra.shrink(shrinkage.band_strength * unit, RowShrinker::Largest::kept, m.by_band.data());

  const std::size_t length = m.mean.size();
  std::ranges::fill(m.mean, 0.0f);
  for (std::size_t j = 0; j < m.patches; ++j) {
    float* patch = m.similar.row(j);
    for (std::size_t b = 0; b < m.bands; ++b) {
      std::copy_n(m.by_band.data() + (b * m.patches + j) * m.pixels, m.pixels, patch + b * m.pixels);
    }
    for (std::size_t i = 0; i < length; ++i) m.mean[i] += patch[i];
  }
  for (float& v : m.mean) v /= static_cast<float>(m.patches);
  for (std::size_t j = 0; j < m.patches; ++j) {
    float* patch = m.similar.row(j);
    for (std::size_t i = 0; i < length; ++i) patch[i] -= m.mean[i];
  }
  m.similar.shrink(shrinkage.patch_strength * unit, RowShrinker::Largest::shrunk, group);
  for (std::size_t j = 0; j < m.patches; ++j) {
    for (std::size_t i = 0; i < length; ++i) group[j * length + i] += m.mean[i];
  }
}

}  // namespace snapcube
