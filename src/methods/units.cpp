#include "methods/units.h"

#include <algorithm>
#include <cmath>

#include "models/measurement_scale.h"

namespace snapcube {

namespace {

/// Brightness that scenes in 0 … 1 have.
constexpr double kDarkest = 0.005;
constexpr double kBrightest = 1.0;

/// Row by row, so that it does not depend on the threads.
double sum_of(const Image& image) {
  double total = 0;
  for (int y = 0; y < image.height(); ++y) {
    double row = 0;
    for (int x = 0; x < image.width(); ++x) row += image(y, x);
    total += row;
  }
  return total;
}

}  // namespace

void add_units(ParameterList& list, Units& units) {
  static const std::vector<std::pair<std::string, Units>> kUnits = {
      {"auto", Units::automatic}, {"sum", Units::sum}, {"max", Units::max}};
  list.add("scale", units, kUnits,
           "what the measurement is: in any units, the sum over bands, or scaled by its maximum");
}

double mean_brightness(const Image& measurement, const Camera& camera) {
  // Every mask pixel is seen once in each band, wherever the bands fall: ΣΦ1 = bands · Σmask, unless pixels are
  // weighed.
  const double white = camera.weighted()
                           ? sum_of(camera.forward(Cube(camera.bands(), camera.height(), camera.width(), 1.0f)))
                           : camera.bands() * sum_of(camera.mask());
  return white > 0 ? sum_of(measurement) / white : 0.0;
}

double factor_to_sum(const Image& measurement, const Camera& camera, Units units, bool any_exposure) {
  switch (units) {
    case Units::sum:
      return 1;
    case Units::max: {
      const auto values = measurement.values();
      const double most = values.empty() ? 0.0 : *std::ranges::max_element(values);
      return most > 0 ? kScaledMaximum / most * camera.bands() / 2 : 1.0;
    }
    case Units::automatic:
      break;
  }
  const double brightness = mean_brightness(measurement, camera);
  if (!(brightness > 0) || !std::isfinite(brightness)) return 1;
  if (!any_exposure && brightness >= kDarkest && brightness <= kBrightest) return 1;
  // Bright spots on a dark ground: nothing may become brighter than the published scale lets a capture be.
  const double most = *std::ranges::max_element(measurement.values());
  return std::min(kKnownBrightness / brightness, kScaledMaximum / most * camera.bands() / 2);
}

}  // namespace snapcube
