#include "solvers/wnnm.h"

#include <algorithm>
#include <omp.h>

#include "base/parallel.h"

namespace snapcube {

namespace {

constexpr int kGuideChannels = 7;
constexpr int kBatch = 64;  // groups: some ten megabytes, some ten milliseconds

/// Channel c of `to` is the mean of its share of the bands.
void average_bands(const Cube& x, PixelMajor& to) {
  const int channels = to.channels;
#pragma omp parallel for schedule(static)
  for (int y = 0; y < x.height(); ++y) {
    for (int c = 0; c < channels; ++c) {
      const int first = static_cast<int>(std::int64_t{x.bands()} * c / channels);
      const int last = static_cast<int>(std::int64_t{x.bands()} * (c + 1) / channels);
      const float share = 1.0f / static_cast<float>(last - first);
      for (int i = 0; i < x.width(); ++i) {
        float sum = 0;
        for (int b = first; b < last; ++b) sum += x(b, y, i);
        to.at(y, i)[c] = share * sum;
      }
    }
  }
}

}  // namespace

WnnmDenoiser::WnnmDenoiser(int bands, int height, int width, const PatchOptions& options)
    : groups_(height, width, options),
      guide_(height, width, std::min(bands, kGuideChannels)),
      sums_(bands, height, width),
      weights_(height, width),
      batch_(std::min(kBatch, groups_.count())),
      shrunk_(group_floats() * static_cast<std::size_t>(batch_)) {}

std::size_t WnnmDenoiser::group_floats() const {
  return static_cast<std::size_t>(groups_.group_size()) * static_cast<std::size_t>(sums_.bands()) *
         static_cast<std::size_t>(groups_.patch_height()) * static_cast<std::size_t>(groups_.patch_width());
}

void WnnmDenoiser::denoise(Cube& x, const Shrinkage& shrinkage, bool regroup, const std::function<void()>& pause) {
  regroup = regroup || !matched_;
  if (regroup) average_bands(x, guide_);
  const int pixels = groups_.patch_height() * groups_.patch_width();
  while (shrinkers_.size() < static_cast<std::size_t>(omp_get_max_threads())) {
    shrinkers_.emplace_back(groups_.group_size(), x.bands(), pixels);
  }
  matched_ = false;  // until all groups are, should `pause` throw
  std::ranges::fill(sums_.values(), 0.0f);
  std::ranges::fill(weights_.values(), 0.0f);
  for (int first = 0; first < groups_.count(); first += batch_) {
    const int last = std::min(first + batch_, groups_.count());
    match_and_shrink(x, first, last, regroup, shrinkage);
    put_back(first, last);
    if (pause) pause();
  }
  matched_ = true;
#pragma omp parallel for schedule(static)
  for (int b = 0; b < x.bands(); ++b) {
    for (std::size_t i = 0; i < x.band_size(); ++i) x.band(b)[i] = sums_.band(b)[i] / weights_.data()[i];
  }
}

void WnnmDenoiser::match_and_shrink(const Cube& x, int first, int last, bool regroup, const Shrinkage& shrinkage) {
  const int columns = groups_.patch_width();
  parallel_for(last - first, [&](std::int64_t place) {
    const int g = first + static_cast<int>(place);
    if (regroup) groups_.match(guide_, g);
    float* const group = shrunk_.data() + static_cast<std::size_t>(place) * group_floats();
    float* to = group;
    for (const PatchAt patch : groups_.members(g)) {
      for (int b = 0; b < x.bands(); ++b) {
        const float* from = &x.row(b, patch.y)[patch.x];
        for (int y = 0; y < groups_.patch_height(); ++y, from += x.width()) {
          for (int i = 0; i < columns; ++i) *to++ = from[i];
        }
      }
    }
    shrinkers_[static_cast<std::size_t>(omp_get_thread_num())].shrink(group, shrinkage);
  });
}

// Every band adds its patches in their order: sums do not depend on the threads.
void WnnmDenoiser::put_back(int first, int last) {
  const int bands = sums_.bands();
  const int width = sums_.width();
  const int columns = groups_.patch_width();
  const auto patch_pixels = static_cast<std::size_t>(groups_.patch_height()) * static_cast<std::size_t>(columns);
#pragma omp parallel for schedule(static)
  for (int b = -1; b < bands; ++b) {  // −1: the weights
    const float* from = shrunk_.data() + static_cast<std::size_t>(std::max(b, 0)) * patch_pixels;
    for (int g = first; g < last; ++g) {
      for (const PatchAt patch : groups_.members(g)) {
        float* to = b < 0 ? &weights_.row(patch.y)[patch.x] : &sums_.row(b, patch.y)[patch.x];
        const float* value = from;
        for (int y = 0; y < groups_.patch_height(); ++y, to += width, value += columns) {
          for (int i = 0; i < columns; ++i) to[i] += b < 0 ? 1.0f : value[i];
        }
        from += patch_pixels * static_cast<std::size_t>(bands);
      }
    }
  }
}

}  // namespace snapcube
