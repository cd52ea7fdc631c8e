#pragma once
// What is doubtful about a calibration, and a verdict in words.

#include <snapcube/calibration.h>

namespace snapcube {

/// Fills doubts and verdict from everything else.
void judge(Calibration& calibration);

}  // namespace snapcube
