#pragma once
// In which units a measurement is, and the factor that brings it to those that a network knows.

#include <snapcube/array.h>
#include <snapcube/camera.h>

#include "methods/parameters.h"

namespace snapcube {

/// What a caller says of the units.
enum class Units {
  automatic,  ///< nothing: they are found from measurement and camera, and the cube has them, too
  sum,        ///< the plain sum over the bands of a scene in 0 … 1
  max,        ///< the published way for captures: the largest value becomes 0.8, the cube 0 … 1
};

/// The setting `scale` of networks.
void add_units(ParameterList& list, Units& units);

/// Mean brightness of the scene as the measurement shows it, Σy / ΣΦ1; 0 where no light could arrive.
double mean_brightness(const Image& measurement, const Camera& camera);

/// The brightness that a measurement is brought to where nothing is known of its units.
constexpr double kKnownBrightness = 0.08;

/// The factor to "sum over bands" of a scene in 0 … 1. A network that knows `any_exposure` sees every frame at the
/// same brightness (less, where its largest value would be too bright), so that the cube of a·y is a times that of y;
/// for others a brightness that a scene can have is left as it is. 1 for a black frame.
double factor_to_sum(const Image& measurement, const Camera& camera, Units units, bool any_exposure);

}  // namespace snapcube
