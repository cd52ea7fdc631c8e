#include "solvers/gap_solver.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "solvers/detector_algebra.h"

namespace snapcube {

namespace {

constexpr int kTvIterations = 3;

Image one_in_ten(int height, int width) {
  Image seen(height, width, 1.0f);
  for (int y = 0; y < height; ++y) {
    Random random(1, static_cast<std::uint64_t>(y));
    for (int x = 0; x < width; ++x) {
      if (random.uniform() < 0.1) seen(y, x) = 0;
    }
  }
  return seen;
}

}  // namespace

GapSolver::GapSolver(const Camera& camera)
    : camera_(camera),
      y_(camera.detector_height(), camera.detector_width()),
      seen_(one_in_ten(camera.detector_height(), camera.detector_width())),
      image_(camera.detector_height(), camera.detector_width()),
      projection_(y_, camera, true),
      denoiser_(camera.bands(), camera.height(), camera.width(), TvKind::nuclear) {}

double GapSolver::solve(const Image& y, double unit, const GapSchedule& schedule, Cube& x,
                        const std::function<void(double)>& report) {
  std::ranges::fill(x.values(), 0.0f);
  if (!(unit > 0)) return 0;  // a black frame shows a black scene
  std::ranges::copy(y.values(), y_.data());
  projection_.restart();
  denoiser_.restart();
  double error = 0;
  for (int k = 0; k < schedule.iterations; ++k) {
    if (report) report(static_cast<double>(k) / schedule.iterations);
    if (k == 0 && schedule.blind > 0) projection_.weigh(&seen_);
    if (k > 0 && k == schedule.blind) {
      error = prediction(x);
      projection_.weigh(nullptr);
    }
    projection_.residual(x);
    projection_.project(x);
    const double weight = geometric_schedule(schedule.first_weight, schedule.last_weight, k, schedule.iterations);
    denoiser_.denoise(x, static_cast<float>(unit * weight), kTvIterations);
  }
  return error;
}

double GapSolver::prediction(const Cube& x) {
  camera_.forward(x, image_);
  double error = 0;
  double size = 0;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    if (seen_.data()[i] != 0) continue;
    const double y = y_.data()[i];
    error += (y - image_.data()[i]) * (y - image_.data()[i]);
    size += y * y;
  }
  return size > 0 ? std::sqrt(error / size) : 0.0;
}

}  // namespace snapcube
