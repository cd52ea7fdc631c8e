#pragma once
// Rows of a map copied apart, with zeros beside them, so that a convolution's taps are shifted pointers.

#include <algorithm>
#include <cstring>

#include <snapcube/array.h>

#include "gradients/planes.h"
#include "kernels/elementwise.h"

namespace snapcube::gradients {

class PaddedSlab {
 public:
  /// `parts` 2: the even columns of a row, then the odd ones, as channels of half the width.
  PaddedSlab(int channels, int width, int rows, int parts = 1)
      : channels_(channels),
        parts_(parts),
        pitch_(padded_pitch(width / parts)),
        step_(static_cast<std::size_t>(channels * parts) * pitch_),
        values_(kMargin + static_cast<std::size_t>(rows) * step_) {}

  /// Rows [first, last) of a sample, as far as the map has them.
  void load(const ConstPlanes& x, int sample, int first, int last) {
    first_ = std::max(0, first);
    last_ = std::min(x.height, last);
    const auto part = static_cast<std::size_t>(x.width / parts_);
    for (int y = first_; y < last_; ++y) {
      for (std::size_t c = 0; c < static_cast<std::size_t>(channels_); ++c) {
        const float* from = x.row(sample, y) + c * x.pitch();
        float* to = values_.data() + kMargin + static_cast<std::size_t>(y - first_) * step_ + c * pitch_;
        if (parts_ == 1) {
          std::memcpy(to, from, part * sizeof(float));
        } else {
          kernels::split_pairs(from, part, to, to + odd());
        }
      }
    }
  }

  bool has(int y) const { return y >= first_ && y < last_; }
  /// Null outside of the map.
  const float* row(int y) const {
    return has(y) ? values_.data() + kMargin + static_cast<std::size_t>(y - first_) * step_ : nullptr;
  }
  std::size_t pitch() const { return pitch_; }
  std::size_t row_step() const { return step_; }
  /// From an even column to the odd one beside it.
  std::size_t odd() const { return static_cast<std::size_t>(channels_) * pitch_; }

 private:
  int channels_;
  int parts_;
  std::size_t pitch_;
  std::size_t step_;
  int first_ = 0;
  int last_ = 0;
  FloatBuffer values_;
};

}  // namespace snapcube::gradients
