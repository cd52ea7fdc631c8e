#pragma once
// Denoising of a cube by its self-similarity: group similar patches, shrink each group's singular values, put the
// patches back and average where they overlap.

#include <functional>
#include <vector>

#include <snapcube/array.h>

#include "solvers/low_rank.h"
#include "solvers/patch_groups.h"

namespace snapcube {

/// Keeps all its memory, and the groups from one call to the next.
class WnnmDenoiser {
 public:
  WnnmDenoiser(int bands, int height, int width, const PatchOptions& options);

  /// Replaces x by the denoised cube. regroup: match the patches anew; the first call always does. `pause` is called
  /// every few dozen groups, outside of parallel regions; x is as it was when it is called, and when it throws.
  void denoise(Cube& x, const Shrinkage& shrinkage, bool regroup, const std::function<void()>& pause = {});

 private:
  void match_and_shrink(const Cube& x, int first, int last, bool regroup, const Shrinkage& shrinkage);
  void put_back(int first, int last);
  std::size_t group_floats() const;

  PatchGroups groups_;
  bool matched_ = false;
  PixelMajor guide_;  ///< neighbouring bands averaged: less noise, less work
  Cube sums_;
  Image weights_;
  int batch_;                             ///< groups worked on between two calls of `pause`
  FloatBuffer shrunk_;                    ///< their patches
  std::vector<GroupShrinker> shrinkers_;  ///< one a thread
};

}  // namespace snapcube
