#pragma once
// What the iterative methods share: sums that do not depend on the number of threads, the brightness of a measurement.

#include <snapcube/array.h>
#include <snapcube/camera.h>
#include <snapcube/reconstructor.h>

namespace snapcube {

/// Σ v², row by row in double; the same for every thread count.
double squared_norm(const Image& image);

/// Root mean square of the scene as the measurement shows it: ‖y‖ / ‖Φ1‖. Weights of a prior are given relative to it,
/// so that a dark capture and a bright one are treated alike.
double brightness(const Image& measurement, const Camera& camera);

/// 1/row_sums where light arrives, 0 where the mask lets none through.
Image inverse_row_sums(const Camera& camera);

/// start·(end/start)^(k/(n−1)): from start to end in n steps of equal ratio.
double geometric_schedule(double start, double end, int k, int n);

/// Reports and throws Interrupted when the callback asks to stop.
void report(const ProgressCallback& progress, const Progress& now);

}  // namespace snapcube
