#pragma once
// Which windows attention works on.

#include <vector>

#include <snapcube/array.h>

#include "engine/workspace.h"
#include "models/model_config.h"

namespace snapcube::engine {

/// One value a pixel, rows without gaps: the sparsity mask M_s at one resolution.
struct Plane {
  int height = 0;
  int width = 0;
  FloatBuffer values;

  Plane() = default;
  Plane(int h, int w) : height(h), width(w), values(static_cast<std::size_t>(h) * static_cast<std::size_t>(w)) {}
  float* row(int y) { return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width); }
  const float* row(int y) const {
    return values.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width);
  }
};

/// Means of 2×2 pixels.
void pool(const Plane& from, Plane& to);

/// Memory for kept_windows, so that it allocates nothing.
struct WindowScores {
  std::vector<double> score;
  std::vector<int> order;
};

/// The windows of a map of height × width that the configuration keeps, ascending. mask: at the map's resolution,
/// looked at by screening::estimator only; `shift` as in SahAttention::run.
void kept_windows(const ModelConfig& config, const Plane& mask, int height, int width, int shift, WindowScores& room,
                  std::vector<int>& kept);

}  // namespace snapcube::engine
