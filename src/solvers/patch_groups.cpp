#include "solvers/patch_groups.h"

#include <algorithm>
#include <utility>

namespace snapcube {

namespace {

/// 0, stride, 2·stride, … and last.
std::vector<int> grid(int last, int stride) {
  std::vector<int> places;
  for (std::int64_t at = 0; at < last; at += stride) places.push_back(static_cast<int>(at));
  places.push_back(last);
  return places;
}

float squared_difference(const PixelMajor& guide, PatchAt a, PatchAt b, int rows, int columns) {
  const int n = columns * guide.channels;
  float sum = 0;
  for (int y = 0; y < rows; ++y) {
    const float* p = guide.at(a.y + y, a.x);
    const float* q = guide.at(b.y + y, b.x);
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < n; ++i) sum += (p[i] - q[i]) * (p[i] - q[i]);
  }
  return sum;
}

}  // namespace

PatchGroups::PatchGroups(int height, int width, const PatchOptions& options)
    : patch_height_(std::min(options.patch, height)),
      patch_width_(std::min(options.patch, width)),
      window_height_(
          static_cast<int>(std::min<std::int64_t>(2 * std::int64_t{options.window} + 1, height - patch_height_ + 1))),
      window_width_(
          static_cast<int>(std::min<std::int64_t>(2 * std::int64_t{options.window} + 1, width - patch_width_ + 1))),
      group_(static_cast<int>(std::min<std::int64_t>(options.group, std::int64_t{window_height_} * window_width_))),
      last_row_(height - patch_height_),
      last_column_(width - patch_width_),
      window_(options.window),
      rows_(grid(last_row_, std::min(options.stride, patch_height_))),
      columns_(grid(last_column_, std::min(options.stride, patch_width_))),
      members_(static_cast<std::size_t>(count()) * group_) {}

PatchAt PatchGroups::reference(int index) const {
  const auto i = static_cast<std::size_t>(index);
  return {rows_[i / columns_.size()], columns_[i % columns_.size()]};
}

void PatchGroups::match(const PixelMajor& guide, int index) {
  const PatchAt reference = this->reference(index);
  const int top = std::clamp(reference.y - window_, 0, last_row_ + 1 - window_height_);
  const int left = std::clamp(reference.x - window_, 0, last_column_ + 1 - window_width_);
  thread_local std::vector<std::pair<float, std::int32_t>> found;  // difference, place in the window
  found.clear();
  for (int y = 0; y < window_height_; ++y) {
    for (int x = 0; x < window_width_; ++x) {
      const PatchAt place{top + y, left + x};
      // Nothing may come before the reference, not even its equal.
      const float difference =
          place == reference ? -1.0f : squared_difference(guide, reference, place, patch_height_, patch_width_);
      found.emplace_back(difference, y * window_width_ + x);
    }
  }
  std::partial_sort(found.begin(), found.begin() + group_, found.end());
  PatchAt* to = members_.data() + static_cast<std::size_t>(index) * group_;
  for (int i = 0; i < group_; ++i) {
    const int place = found[static_cast<std::size_t>(i)].second;
    to[i] = {top + place / window_width_, left + place % window_width_};
  }
}

}  // namespace snapcube
