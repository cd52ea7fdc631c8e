#pragma once
// Block matching: which patches of a picture look like a given one.

#include <cstdint>
#include <span>
#include <vector>

#include <snapcube/array.h>

namespace snapcube {

/// A picture with its channels side by side: value c of pixel (y, x) is at (y·width + x)·channels + c. A row of a patch
/// is then contiguous, whatever the number of channels.
struct PixelMajor {
  int height = 0;
  int width = 0;
  int channels = 0;
  FloatBuffer values;

  PixelMajor(int rows, int columns, int depth)
      : height(rows),
        width(columns),
        channels(depth),
        values(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * static_cast<std::size_t>(depth)) {}
  float* at(int y, int x) { return values.data() + index(y, x); }
  const float* at(int y, int x) const { return values.data() + index(y, x); }
  std::size_t index(int y, int x) const {
    return (static_cast<std::size_t>(y) * width + x) * static_cast<std::size_t>(channels);
  }
};

struct PatchOptions {
  int patch = 8;    ///< pixels along a side
  int stride = 6;   ///< pixels from one reference patch to the next
  int window = 16;  ///< how far the search goes from the reference patch, in pixels each way
  int group = 24;   ///< patches in a group
};

/// Top-left corner of a patch.
struct PatchAt {
  std::int32_t y;
  std::int32_t x;
  bool operator==(const PatchAt&) const = default;
};

/// For each reference patch on a regular grid, which together cover the picture, the patches around it that differ
/// least. Patches, windows and groups that the frame has no room for are as large as it allows, the same everywhere:
/// at a border the window moves inwards.
class PatchGroups {
 public:
  PatchGroups(int height, int width, const PatchOptions& options);

  int count() const { return static_cast<int>(rows_.size() * columns_.size()); }
  int patch_height() const { return patch_height_; }
  int patch_width() const { return patch_width_; }
  int group_size() const { return group_; }

  /// The reference patch of a group.
  PatchAt reference(int index) const;
  /// Fills group `index`: the reference first, then the others from the most similar on; the squared difference
  /// decides, then the place. Calls for different groups may run at the same time.
  void match(const PixelMajor& guide, int index);
  std::span<const PatchAt> members(int index) const {
    return {members_.data() + static_cast<std::size_t>(index) * group_, static_cast<std::size_t>(group_)};
  }

 private:
  int patch_height_;
  int patch_width_;
  int window_height_;  ///< places of a patch inside the window
  int window_width_;
  int group_;
  int last_row_;
  int last_column_;
  int window_;
  std::vector<int> rows_;  ///< of the reference patches
  std::vector<int> columns_;
  std::vector<PatchAt> members_;
};

}  // namespace snapcube
