#pragma once
// Splits a cube into small boxes, so that a copy between two orders of axes touches few cache lines
// at a time.

#include <algorithm>
#include <cstdint>

namespace snapcube::io {

/// Waking other threads takes longer than copying fewer elements than this.
constexpr std::uint64_t kParallelElements = 1 << 16;

struct Box {
  int first_band, last_band;  ///< one past the last
  int first_row, last_row;
  int first_column, last_column;
};

/// The axis whose neighbours lie side by side in the other order. (Columns do so in ours.)
enum class NearAxis { bands, rows, columns };

class Tiling {
 public:
  Tiling(int bands, int height, int width, NearAxis near)
      : bands_(bands),
        height_(height),
        width_(width),
        band_step_(near == NearAxis::bands ? kStep : 1),
        row_step_(near == NearAxis::rows ? kStep : 1),
        column_step_(near == NearAxis::columns ? std::max(width, 1) : kStep) {}

  std::int64_t boxes() const { return boxes_along_bands() * boxes_along_rows() * boxes_along_columns(); }

  Box box(std::int64_t index) const {
    const int column = static_cast<int>(index % boxes_along_columns()) * column_step_;
    index /= boxes_along_columns();
    const int row = static_cast<int>(index % boxes_along_rows()) * row_step_;
    const int band = static_cast<int>(index / boxes_along_rows()) * band_step_;
    return {band,   std::min(band + band_step_, bands_),    row, std::min(row + row_step_, height_),
            column, std::min(column + column_step_, width_)};
  }

 private:
  /// One cache line of floats.
  static constexpr int kStep = 16;

  std::int64_t boxes_along_bands() const { return (std::int64_t{bands_} + band_step_ - 1) / band_step_; }
  std::int64_t boxes_along_rows() const { return (std::int64_t{height_} + row_step_ - 1) / row_step_; }
  std::int64_t boxes_along_columns() const { return (std::int64_t{width_} + column_step_ - 1) / column_step_; }

  int bands_, height_, width_;
  int band_step_, row_step_, column_step_;
};

}  // namespace snapcube::io
