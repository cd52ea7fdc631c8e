#pragma once
// Groups of similar patches are nearly low-rank matrices, noise is not: weighted nuclear norm minimisation.
// S. Gu et al., "Weighted nuclear norm minimization and its applications to low level vision", IJCV 121, 2017.

#include <memory>

namespace snapcube {

/// A singular value s under the weight w/x of its own shrunk value x, that is the larger solution of x = s − w/x,
/// (s + √(s² − 4w)) / 2, and 0 where there is none (s² < 4w). Large values, which carry the picture, stay nearly as
/// they are; those of noise vanish.
double shrunk(double singular_value, double weight);

/// How much noise is taken for what: the weights are strength · √n · noise², n the number of values in the group.
struct Shrinkage {
  double noise = 0;           ///< standard deviation
  double band_strength = 0;   ///< of the matrix of spectra
  double patch_strength = 0;  ///< of the matrix of patches
};

/// Shrinks the singular values of groups of one size, each seen as two matrices one after the other:
///   bands × (patches · pixels)   what similar places share is a few spectra;
///   (pixels · bands) × patches   similar patches are mixtures of a few, around their mean.
/// Values and vectors of the smaller side come from the eigen-decomposition of the Gram matrix, in double. Memory for
/// one group at a time: one shrinker a thread.
class GroupShrinker {
 public:
  GroupShrinker(int patches, int bands, int pixels);
  ~GroupShrinker();
  GroupShrinker(GroupShrinker&&) noexcept;
  GroupShrinker& operator=(GroupShrinker&&) noexcept;

  /// group: float[patches][bands][pixels].
  void shrink(float* group, const Shrinkage& shrinkage);

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace snapcube
