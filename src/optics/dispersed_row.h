#pragma once
// One row of a camera that disperses along its columns, and the linear algebra of it. Bands of a row are `pitch` floats
// apart; so are their masks, or all share one where `mask_pitch` is 0.
//
//   (Φx)[p] = Σ_b (1 − f_b)·(m_b x_b)[p − n_b] + f_b·(m_b x_b)[p − n_b − 1],   n_b whole pixels and a fraction f_b
//
// Rows of a detector do not mix, so what follows is all there is to know of Φ.

#include <cstddef>
#include <span>
#include <vector>

namespace snapcube {

/// Where the bands lie.
class Dispersion {
 public:
  /// `positions`: of the bands on the detector in pixels, at least 0.
  Dispersion(std::span<const double> positions, int width);

  int bands() const { return static_cast<int>(places_.size()); }
  int width() const { return width_; }
  int detector_width() const { return detector_width_; }
  /// Every band lies on whole pixels: ΦΦᵀ is diagonal.
  bool is_whole() const { return whole_; }

  struct Place {
    int whole;
    float fraction;  ///< 0 … 1; of that, the next pixel gets its share
  };
  const std::vector<Place>& places() const { return places_; }

 private:
  std::vector<Place> places_;
  int width_;
  int detector_width_;
  bool whole_ = true;
};

/// Bands of a row: `pitch` floats from one to the next.
template <typename Float>
struct RowOf {
  Float* data = nullptr;
  std::size_t pitch = 0;

  Float* band(std::size_t b) const { return data + b * pitch; }
};
using Row = RowOf<float>;
using ConstRow = RowOf<const float>;

/// z = Φx.
void project_row(const Dispersion& dispersion, const ConstRow& x, const ConstRow& masks, float* z);
/// out = x + factor·Φᵀs; x may be out, or have no data: then it is 0.
void back_project_row(const Dispersion& dispersion, const float* s, const ConstRow& masks, float factor,
                      const ConstRow& x, const Row& out);

/// ΦΦᵀ of a row: its diagonal and, for fractions, what stands beside it: next[p] = (ΦΦᵀ)[p][p + 1].
void gram_row(const Dispersion& dispersion, const ConstRow& masks, float* diagonal, float* next);

/// s = (T + μ)⁻¹ r for the symmetric T of gram_row; `next` null: T is diagonal. μ > 0. `scratch`: as long as the row.
/// s may be r.
void solve_row(const float* diagonal, const float* next, float mu, const float* r, int count, float* s, float* scratch);

/// The measurement without the mask's holes: y/(Φ1), smeared as the bands are. Pixels that see no light (Φ1 at most
/// `darkest`) or have no weight get the mean of those around them in the row, or 1, which is a measurement's mean
/// brightness in the units of a network. `weights` null: all 1.
void level_row(const float* y, const float* flat, const float* weights, float darkest, int count, float* out);

}  // namespace snapcube
