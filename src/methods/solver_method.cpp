#include "methods/method.h"

namespace snapcube {

void SolverMethod::reconstruct(const ImageView& measurement, const Camera& camera, const ProgressCallback& progress,
                               const CubeView& out) {
  if (measurement_.height() != measurement.height() || measurement_.width() != measurement.width()) {
    measurement_ = Image(measurement.height(), measurement.width());
  }
  copy(measurement, measurement_);
  if (cube_.bands() != camera.bands() || cube_.height() != camera.height() || cube_.width() != camera.width()) {
    cube_ = Cube(camera.bands(), camera.height(), camera.width());
  }
  cube_.wavelengths = camera.wavelengths();
  solve(measurement_, camera, progress, cube_);
  copy(cube_, out);
}

}  // namespace snapcube
