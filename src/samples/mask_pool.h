#pragma once
// The masks of a training run.

#include <vector>

#include <snapcube/array.h>

#include "base/random.h"
#include "samples/config.h"
#include "samples/weighted_choice.h"

namespace snapcube {

class MaskPool {
 public:
  /// Reads the files. Throws InputError when there is no source, and for masks that are unusable or smaller than the
  /// crop.
  MaskPool(const std::vector<MaskSource>& sources, int height, int width);

  /// A mask of height × width.
  Image draw(Random& random) const;
  /// A mask of the first source.
  Image draw_first(Random& random) const;

 private:
  struct Source {
    MaskSource settings;
    Image mask;  ///< of a file
  };
  Image draw_from(const Source& from, Random& random) const;

  std::vector<Source> sources_;
  WeightedChoice choice_;
  int height_;
  int width_;
};

/// Gaussian blur of `sigma` pixels; at the border the weights that fall outside are left out.
Image blurred(const Image& image, double sigma);

}  // namespace snapcube
