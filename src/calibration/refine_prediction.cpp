#include "calibration/refine_prediction.h"

#include <algorithm>

#include "calibration/refine_camera.h"
#include "solvers/detector_algebra.h"
#include "solvers/gap_solver.h"

namespace snapcube {

namespace {

/// GAP-TV as far as it smooths: later iterations fit what is not there.
constexpr GapSchedule kSchedule{.iterations = 41, .first_weight = 8, .last_weight = 1.5, .blind = 40};

Region strip(const Image& image, Axis axis, int first, int lines) {
  return axis == Axis::columns ? Region{first, 0, lines, image.width()} : Region{0, first, image.height(), lines};
}

}  // namespace

UnseenPixels::UnseenPixels(const CameraFile& camera, const std::vector<PreparedFrame>& frames, int lines,
                           std::size_t captures)
    : camera_(camera) {
  const Camera device = camera.camera();
  const int across = camera.axis == Axis::columns ? device.height() : device.width();
  lines_ = std::min(lines, across);
  first_ = (across - lines_) / 2;
  for (std::size_t i = 0; i < std::min(captures, frames.size()); ++i) {
    const Region region = strip(frames[i].values, camera.axis, first_, lines_);
    PreparedFrame part;
    part.values = crop(frames[i].values, region);
    if (!frames[i].weights.empty()) part.weights = crop(frames[i].weights, region);
    strips_.push_back(std::move(part));
  }
}

double UnseenPixels::error(const Drift& drift) const {
  CameraFile file = drifted_camera(camera_, drift);
  if (file.masks.empty()) {
    file.mask = crop(file.mask, strip(file.mask, file.axis, first_, lines_));
  } else {
    const Image one(file.masks.height(), file.masks.width());
    file.masks = crop(file.masks, strip(one, file.axis, first_, lines_));
  }
  Camera camera = file.camera();
  Cube cube(camera.bands(), camera.height(), camera.width());
  double sum = 0;
  for (const PreparedFrame& frame : strips_) {
    camera.set_weights(frame.weights);
    Image y = frame.values;
    camera.weigh(y);
    GapSolver solver(camera);
    sum += solver.solve(y, brightness(y, camera), kSchedule, cube);
  }
  return sum / static_cast<double>(strips_.size());
}

}  // namespace snapcube
