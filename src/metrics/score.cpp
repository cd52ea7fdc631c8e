#include <limits>

#include <snapcube/metrics.h>

#include "metrics/common.h"

namespace snapcube {

Scores score(const Cube& image, const Cube& truth, Protocol protocol) {
  check_same_shape(image, truth);
  const auto fits = [&](int window) { return image.height() >= window && image.width() >= window; };
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return {
      .psnr = psnr(image, truth, protocol),
      .ssim = protocol == Protocol::toolbox || fits(kSsimWindow) ? ssim(image, truth, protocol) : kNone,
      .sam = sam(image, truth),
      .ergas = ergas(image, truth),
      .rmse = rmse(image, truth),
      .uiqi = fits(kUiqiWindow) ? uiqi(image, truth) : kNone,
  };
}

}  // namespace snapcube
